// The parts of a cache put together, and its side of the seam to the cleaner: which record is current, where it moves, and which are
// forgotten. Tables have numbers, and each record says its table's.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Entries;
using Pile.Cache.Eviction;
using Pile.Cache.Files;
using Pile.Cache.Index;
using Pile.Cache.Keys;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Composition of a cache, and the owner of its records.</summary>
internal sealed class CacheCore<TFormat> : CacheBase, IKeyedOwner, IDisposable
    where TFormat : struct, IRecordFormat
{
    private readonly FlatSpace _space;
    private readonly Lock _tablesLock = new();
    private readonly EvictionPolicy<TFormat> _policy;
    private readonly RecordJudge<TFormat> _judge;
    private readonly Expirer<TFormat> _expirer;
    private readonly IndexUpkeep<TFormat> _upkeep;
    private TableCore<TFormat>?[] _tables = new TableCore<TFormat>?[8];
    private int _tablesMade;

    internal CacheCore(ObjectPile pile, HeapCore<TFormat> core, TimeProvider time, RegionProvider regions)
        : base(pile, time, regions)
    {
        Core = core;
        _space = core.Directory.Space;
        Shared = new SharedObjects(this);
        _policy = new EvictionPolicy<TFormat>(this);
        _judge = new RecordJudge<TFormat>(this, _policy);
        _expirer = new Expirer<TFormat>(this);
        _upkeep = new IndexUpkeep<TFormat>(this);
        Slots = this is CacheCore<DurableRecord> durable ? new SlotOwner(durable) : null;
        if (!TFormat.IsDurable)
        {
            // In files it is what the files say first.
            core.Own(this);
        }
    }

    internal HeapCore<TFormat> Core { get; }

    /// <inheritdoc/>
    public ISlotOwner? Slots { get; }

    internal override SharedObjects Shared { get; }

    /// <summary>Entries that were evicted for room.</summary>
    internal long Evicted => _policy.Evicted;

    /// <summary>Entries that were evicted since <see cref="Evicted"/> was <paramref name="before"/>; none where that is negative, for nothing had to go.</summary>
    internal int EvictedSince(long before) => before < 0 ? 0 : (int)long.Min(Evicted - before, int.MaxValue);

    /// <summary>Tables, dropped ones left out, and empty places.</summary>
    internal ReadOnlySpan<TableCore<TFormat>?> Tables => Volatile.Read(ref _tables);

    /// <inheritdoc cref="IKeyedOwner.TakenBytes"/>
    public override long TakenBytes => Ghosts.TakenBytes + Shared.TakenBytes + _upkeep.WaitingBytes + Indexed().Sum(static table => table.Index.TakenBytes);

    /// <inheritdoc/>
    public long Records => RecordsOf(Volatile.Read(ref _tables));

    /// <inheritdoc/>
    public bool CanEvict => _policy.LowestPriority() >= 0;

    /// <inheritdoc/>
    internal override FormatTable? TryAddTable(PileTableOptions options, HashSeed seed)
    {
        lock (_tablesLock)
        {
            int id = _tablesMade = Files?.FreeNumberFrom(_tablesMade + 1) ?? _tablesMade + 1;
            if (id > CacheLimits.TablesMax)
            {
                throw new InvalidOperationException($"The cache has made {CacheLimits.TablesMax:N0} tables (TablesMax), and uses no number again while it is open. Use another cache.");
            }

            try
            {
                return WithWriter<FormatTable?>(() =>
                {
                    RefuseEnded();
                    Files?.Tables.NoteComing(options);
                    IndexFile? file = Files?.Create(id, seed, options);
                    if (TableIndex.TryCreate(file ?? Regions, Core.Budget, file) is not { } index)
                    {
                        return null;
                    }

                    Files?.Tables.NoteMade(new DurableRow(id, 0, seed, options), index, file!);
                    return Door(Place(new TableCore<TFormat>(this, id, seed, options, index, file)));
                });
            }
            catch (PileFullException full) when (!TagTable.IsName(options.Name))
            {
                // Who opens many tables, as a server does at its start, is to know which.
                throw new PileFullException($"The table '{options.Name}' can't be made. {full.Message}", path: full.Path, cause: full);
            }
        }
    }

    /// <inheritdoc/>
    internal override void MakeRoomForTable(string name, ref RoomAttempt attempt)
    {
        PileStatus status = Core.RoomForWrites.Make(Room.Budget, EpochLine.Current.IsOutside(out _) ? 1 : 0, ref attempt, TableIndex.FirstBytes);
        Core.ThrowIfPoisoned(status);
        RefuseEnded();
        if (status == PileStatus.Full)
        {
            Throw.Full($"{(TagTable.IsName(name) ? null : $"The table '{name}' can't be made. ")}The index of a new table", TableIndex.FirstBytes, Core.Budget.UsedBytes, Core.Budget.LimitBytes, "MemoryLimitBytes");
        }
    }

    /// <summary>Takes over a table that was found in the files, before anybody is in the cache.</summary>
    internal TableBase Restore(int id, HashSeed seed, PileTableOptions options, TableIndex index, IndexFile file)
    {
        _tablesMade = int.Max(_tablesMade, id);
        return Place(new TableCore<TFormat>(this, id, seed, options, index, file));
    }

    /// <inheritdoc/>
    internal override FormatTable DoorTo(TableBase dormant) => Door((TableCore<TFormat>)dormant);

    /// <inheritdoc/>
    internal override FormatTable Wake(TableBase dormant, PileTableOptions options)
    {
        IndexFile file = dormant.File!;
        var woken = new TableCore<TFormat>(this, dormant.Id, dormant.Seed, options, dormant.Index, file, dormant);
        SlotDuplicates.Remove(Door(woken).Files);
        return WithWriter(() =>
        {
            RefuseEnded();
            Files!.Tables.NoteWoken(dormant, options);
            Core.Files!.CallFiles(() => file.WriteHeader(file.Header with { Options = options }));
            return Door(Place(woken));
        });
    }

    private TableCore<TFormat> Place(TableCore<TFormat> table)
    {
        lock (_tablesLock)
        {
            if (table.Id >= _tables.Length)
            {
                TableCore<TFormat>?[] larger = _tables;
                Array.Resize(ref larger, int.Max(table.Id + 1, larger.Length * 2));
                Volatile.Write(ref _tables, larger);
            }

            lock (Tags.Placing)
            {
                Volatile.Write(ref _tables[table.Id], table);
            }

            return table;
        }
    }

    /// <inheritdoc/>
    internal override TResult WithWriter<TResult>(Func<TResult> work)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(Core.Epochs.WriteWord);
        SegmentWriter<TFormat>? writer = null;
        try
        {
            writer = Core.Writers.Hold(line);
            return work();
        }
        finally
        {
            writer?.Release();
            line.Leave(held);
        }
    }

    /// <inheritdoc/>
    internal override void Drop(TableBase dropped)
    {
        var table = (TableCore<TFormat>)dropped;

        // Before anything is noted: to hold all of them can't fail then.
        Core.Writers.MakeAll();
        _ = WithWriter(() =>
        {
            // Inside the epoch: who ends the pile waits for it before the file is unmapped.
            RefuseEnded();
            Files?.Tables.NoteDropped(table);
            table.File?.MarkDropped();
            return true;
        });
        Fault.Stop(StopPoint.CacheTableDropped);
        table.IsDropped = true;

        // Who writes holds a writer and asks then whether the table was dropped: after this nothing is added any more.
        Core.Writers.HoldAll();
        Core.Writers.ReleaseAll();
        table.Watchers.End();
        try
        {
            table.Walk.Clear(isDropping: true);
        }
        finally
        {
            Tags.Forget(table.Id);
            _ = table.IsLeft || TakeAway(table);
        }
    }

    /// <summary>Takes a dropped table away, of which nothing is left, or whose rest the next open removes, unless somebody has: its index goes once nobody is inside.</summary>
    internal bool TakeAway(TableBase table)
    {
        lock (_tablesLock)
        {
            // Once the pile has ended nobody else is in the cache.
            return _tables[table.Id] != table || (Core.IsDisposed ? Take() : WithWriter(Take));
        }

        bool Take()
        {
            Volatile.Write(ref _tables[table.Id], null);
            _upkeep.Add(table.Index);
            return true;
        }
    }

    /// <summary>Bytes of pages that come back when an entry goes; 0 where its value stands in the log.</summary>
    internal int LargeBytesOf(in LinkedValue linked) =>
        !linked.IsShared ? linked.Bytes : linked.Bytes < Core.LargePayloadBytesMin ? 0 : Shared.PartOf(linked);

    /// <inheritdoc/>
    public void Prefetch(ulong recordWord, long location) => TableOf(HeadA(location))?.Index.Prefetch(RecordWord.Slot(recordWord));

    /// <inheritdoc/>
    public RecordFate Judge(ulong recordWord, long location, Segment segment, bool isEvicting) => _judge.Judge(recordWord, location, segment, isEvicting);

    /// <inheritdoc/>
    public bool TryFind(ulong recordWord, long location, out ulong reference)
    {
        reference = (ulong)location;
        if (TableOf(HeadA(location)) is not { } table)
        {
            return false;
        }

        uint home = table.Index.Lock(RecordWord.Slot(recordWord));
        bool isCurrent = table.Lookup.TryFindLocation(home, location, out _, out _);
        table.Index.Unlock(home, hasMoved: false);
        return isCurrent;
    }

    /// <inheritdoc/>
    public bool TryMove(ulong recordWord, ulong reference, long target)
    {
        long source = (long)reference;
        ulong a = HeadA(source);
        if (TableOf(a) is not { } table)
        {
            return false;
        }

        uint home = table.Index.Lock(RecordWord.Slot(recordWord));
        bool isCurrent = table.Lookup.TryFindLocation(home, source, out uint word, out ulong cell)
            || (Fault.CacheMovedBlindly && table.Lookup.TryFindLike(home, source, out word, out cell));
        if (isCurrent)
        {
            // Under the lock nobody else changes the cell, but for the byte of visits, of which one more or less does no harm. A full
            // fence, so that the look at the old record below comes after it.
            _ = Interlocked.Exchange(ref table.Index.Words.At(word), CellWord.Moved(cell, target));
            Fault.Stop(StopPoint.CacheCellMoved);
        }

        if (isCurrent && (a & KeyedHead.SlidesBit) != 0 && !Fault.CacheUseNotCarried)
        {
            // A use noted in the old record after it was copied: the cell was swung before this look, and whoever notes a use looks at
            // the cell afterwards (TableReads.TryUse). Under the lock: whoever takes the entry for ended asks whether the chain is locked.
            TouchWord.Raise<TFormat>(_space, table.Reads.TouchOf(target, a), _space.ReadWord(table.Reads.TouchOf(source, a)));
        }

        table.Index.Unlock(home, hasMoved: false);
        return isCurrent;
    }

    /// <inheritdoc/>
    public void OfferEvictions(Victims victims, long roomBytes) => _policy.Offer(victims, roomBytes);

    /// <inheritdoc/>
    public bool MayEvictFrom(Segment segment) => Facts.HasEvictable(segment);

    /// <inheritdoc/>
    public bool IsSearching => _policy.IsSearching;

    /// <inheritdoc/>
    public bool IsHeldBack { get => _policy.IsHeldBack; set => _policy.IsHeldBack = value; }

    /// <inheritdoc/>
    public void NoteCopied(Segment segment, long location)
    {
        ulong a = HeadA(location);
        TableCore<TFormat>? table = TableOf(a);
        long end = table?.Reads.GoesAt(location, a) ?? long.MaxValue;
        Facts.Note(segment, end, table is { IsSpeculative: true } ? KeyedHead.Priority(a) : (int)PileCachePriority.NeverRemove, (a & KeyedHead.NotedBit) != 0);
    }

    /// <inheritdoc/>
    public bool TryExpire() => _expirer.TryRemove() || Clears.TryGoOn() || (Core.Log.IsDurable && Shared.TryFree());

    /// <inheritdoc/>
    public bool TryEvictLarge(long bytes, bool onlyLowest) => _policy.TryEvictLarge(bytes, onlyLowest);

    /// <inheritdoc/>
    public bool Tick()
    {
        Settle();
        Clears.Step();
        Shared.Marks.StoreLeft();
        _upkeep.Step();
        return _expirer.Step() && Shared.Due == 0;
    }

    /// <inheritdoc/>
    public void ForgetAll()
    {
        foreach (TableCore<TFormat>? table in Tables)
        {
            table?.Index.Reset();
            table?.Counts.Reset();
            table?.Watchers.TellCleared();
        }

        ForgetOrphans();

        Tags.Keeper?.NoteCleared();
        Files?.NoteCleared(Indexed());
    }

    /// <inheritdoc/>
    public void Close()
    {
        _ = Indexed().Where(static table => table.IsLeft).All(TakeAway);

        // Files of dropped tables go while the directory is still ours: another process's table may have the number next.
        _upkeep.Dispose();
        Files?.Close([.. Indexed()]);
    }

    /// <inheritdoc/>
    public void Unmap() => Dispose();

    /// <summary>Frees indexes, ghosts and counts, when nobody is inside the pile any more.</summary>
    public void Dispose()
    {
        foreach (TableCore<TFormat>? table in Tables)
        {
            table?.Watchers.End();
            table?.Index.Dispose();
        }

        _upkeep.Dispose();
        Ghosts.Dispose();
        Shared.Dispose();
    }

    /// <summary>The table of a record's head, or null when it was dropped.</summary>
    /// <param name="a">Word A of the head.</param>
    /// <param name="isInSlot">Whether the record is of a table whose cells hold slots. A number may have been another kind of table's before.</param>
    internal TableCore<TFormat>? TableOf(ulong a, bool isInSlot = false)
    {
        TableCore<TFormat>?[] tables = Volatile.Read(ref _tables);
        int id = KeyedHead.Table(a);
        TableCore<TFormat>? table = id < tables.Length ? Volatile.Read(ref tables[id]) : null;
        return table is not null && table.Slots is not null == isInSlot ? table : null;
    }

    /// <summary>Whether a table, or what it was before it was asked for, is among the cache's. Inside an epoch, as long as which its index stays.</summary>
    internal bool Has(TableBase table) => table.Id < Tables.Length && Tables[table.Id]?.Index == table.Index;

    /// <inheritdoc/>
    internal override IEnumerable<TableBase> Indexed() => Tables.ToArray().OfType<TableBase>();

    internal override TableBase? Indexed(int id) => Volatile.Read(ref _tables) is var all && id < all.Length ? all[id] : null;

    private static FormatTable Door(TableCore<TFormat> table) => new(table as TableCore<MemoryRecord>, table as TableCore<DurableRecord>);

    private ulong HeadA(long location) => _space.ReadWord(location + (TFormat.HeaderBytes / Limits.WordBytes));
}
