// The parts of a cache that do not know the record format, and what PileCache asks of the whole.
// Calls through it are rare ones: tables are added, dropped, counted.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Eviction;
using Pile.Cache.Files;
using Pile.Cache.Keys;
using Pile.Cache.Tags;
using Pile.Cleaning;
using Pile.Heap;
using Pile.Memory;

namespace Pile.Cache.Engine;

/// <summary>Composition of a cache, whatever its record format.</summary>
/// <param name="pile">The pile.</param>
/// <param name="time">The clock of expiry.</param>
/// <param name="regions">Source of memory for indexes and ghosts.</param>
internal abstract class CacheBase(ObjectPile pile, TimeProvider time, RegionProvider regions)
{
    private readonly ConcurrentQueue<(ulong Pointer, long Flush)> _orphans = new();
    private long _looseValues;

    internal ObjectPile Pile { get; } = pile;

    internal HeapBase Heap { get; } = pile.Core;

    internal CacheClock Clock { get; } = new(time);

    internal RegionProvider Regions { get; } = regions;

    internal EntryVersions Versions { get; } = new(pile.Core.WritersCount, time.GetUtcNow().UtcTicks);

    internal SegmentFacts Facts { get; } = new(pile.Core.Keeper.Begin);

    /// <summary>Removals by tag.</summary>
    internal TagStamps Tags { get; } = new(pile.Core.Budget, pile.Tag);

    /// <summary>Objects that entries share.</summary>
    internal abstract SharedObjects Shared { get; }

    internal GhostTable Ghosts { get; } = new(regions, pile.Core.Budget);

    /// <summary>Bytes of the budget that indexes and ghosts hold.</summary>
    public abstract long TakenBytes { get; }

    /// <summary>Clears that found no room to remove all.</summary>
    internal LeftClears Clears { get; } = new();

    /// <summary>The cache's files; null in memory. Set before anybody is in the cache.</summary>
    internal CacheFiles? Files { get; set; }

    /// <summary>The tables that were asked for, where whoever came with this has failed: it is the next one's. Null otherwise. With the lock of those who come.</summary>
    internal Dictionary<string, object>? Left { get; set; }

    /// <summary>The table of a name that was found in the files and not asked for yet, or null.</summary>
    internal TableBase? FindDormant(string name) => Dormant().FirstOrDefault(table => table.Options.Name == name);

    /// <summary>The tables that were found in the files and not asked for yet.</summary>
    internal IEnumerable<TableBase> Dormant() => Indexed().Where(static table => table.Options.Comparer is NamedComparer && !table.IsLeft);

    /// <summary>Entries that are records by themselves, which is asked at each pass: those in slots are objects, and counted with those.</summary>
    protected static long RecordsOf(TableBase?[] tables)
    {
        long entries = 0;
        foreach (TableBase? table in tables)
        {
            entries += table is { Slots: null } ? table.Counts.Entries : 0;
        }

        return entries;
    }

    /// <summary>The way to the entries of such a table, for who only lists them.</summary>
    internal abstract FormatTable DoorTo(TableBase dormant);

    /// <summary>All tables.</summary>
    internal abstract IEnumerable<TableBase> Indexed();

    /// <summary>The table of a number, if there is one.</summary>
    internal abstract TableBase? Indexed(int id);

    /// <summary>The tables that a removal by tag is of: one, or for <see cref="TagStamps.AllTables"/> all.</summary>
    internal IEnumerable<TableBase> IndexedBy(int removal) => removal == TagStamps.AllTables ? Indexed() : Indexed(removal) is { } one ? [one] : [];

    /// <summary>Gives such a table the options that it has from now on, once what could not be done before its comparer was known is done. When
    /// that fails it stays as it was found.</summary>
    internal abstract FormatTable Wake(TableBase dormant, PileTableOptions options);

    /// <summary>Adds a table, unless the limit leaves no room for its index: <see cref="MakeRoomForTable"/>, with no lock held, and again.</summary>
    internal abstract FormatTable? TryAddTable(PileTableOptions options, HashSeed seed);

    /// <summary>Makes room for the index of a table.</summary>
    /// <exception cref="PileFullException">There is none to be had.</exception>
    /// <exception cref="ObjectDisposedException">The pile has ended meanwhile.</exception>
    internal abstract void MakeRoomForTable(string name, ref RoomAttempt attempt);

    /// <summary>Drops a table: its references answer Disposed from now on, its entries go, its memory follows after an epoch.</summary>
    internal abstract void Drop(TableBase table);

    /// <summary>Refuses to change tables once the pile has ended. Inside an epoch, so that its end waits for what comes after.</summary>
    internal void RefuseEnded() => ObjectDisposedException.ThrowIf(Heap.IsDisposed, typeof(PileCache));

    /// <summary>Adds up what the tables hold and have done.</summary>
    internal PileCacheStatistics Sum(PileCacheStatistics statistics) => Indexed().Where(static table => !TagTable.IsName(table.Options.Name)).Aggregate(statistics, static (sum, table) => sum.Plus(table));

    /// <summary>Whether there may be objects that no entry owns and nobody will delete: values on their way to an entry, or from one, when
    /// the pile ended.</summary>
    internal bool HasLooseValues => Interlocked.Read(ref _looseValues) != 0;

    /// <summary>Whether entries that were cleared or dropped before the open are there still, because there was no room for what their removal
    /// leaves in the log. In no index; the next open removes them.</summary>
    internal bool HasOldEntries { get; set; }

    /// <summary>Refuses what must not be while such entries are there.</summary>
    /// <exception cref="PileFullException">They are.</exception>
    internal void RefuseOldEntries()
    {
        if (HasOldEntries)
        {
            throw new PileFullException(
                "Entries that were cleared before this open could not be removed for want of room, and the numbers of clears have come round: raise MemoryLimitBytes, or open the directory again.");
        }
    }

    /// <summary>Notes an object that may come to be without an entry, before it is stored.</summary>
    internal void NoteLoose() => Interlocked.Increment(ref _looseValues);

    /// <summary>Notes the object of an entry that goes, inside the epoch in which it does; 0 for none.</summary>
    internal void NoteLoose(ulong pointer) => Interlocked.Add(ref _looseValues, pointer == 0 ? 0 : 1);

    /// <summary>Notes that an entry owns such an object, or that it is no more.</summary>
    internal void NoteSettled() => Interlocked.Decrement(ref _looseValues);

    /// <summary>Lets the object go of an entry that is gone, which was noted as loose: deletes it, unless other entries lead to it. Called without
    /// any lock.</summary>
    /// <param name="pointer">The object; 0 for none.</param>
    /// <param name="flush">The flush that covers the end of an entry that survives power cuts; 0 for others.</param>
    internal void DeleteOrphan(ulong pointer, long flush = 0)
    {
        if (pointer == 0)
        {
            return;
        }

        PileStatus status = PileStatus.Full;
        bool isShared = false;
        try
        {
            isShared = Shared.TryDrop(pointer, flush);
            status = isShared ? PileStatus.Ok : Pile.Writes.TryDelete(pointer);
        }
        finally
        {
            if (status is PileStatus.Ok or PileStatus.Stale)
            {
                NoteSettled();
            }
            else if (status == PileStatus.Full)
            {
                // No room for what a deletion leaves in the log, or it threw: again at the next settling, and at the next open if there is none.
                _orphans.Enqueue((pointer, flush));
            }
        }

        if (isShared)
        {
            Shared.DeleteDue();
        }
    }

    /// <summary>Leaves the object of an entry that is gone to the next <see cref="Settle"/>; 0 for none.</summary>
    internal void LeaveOrphan(ulong pointer)
    {
        NoteLoose(pointer);
        if (pointer != 0)
        {
            _orphans.Enqueue((pointer, 0));
        }
    }

    /// <summary>Deletes what was left. Called without any lock.</summary>
    public void Settle()
    {
        for (int left = _orphans.Count; left > 0 && _orphans.TryDequeue(out (ulong Pointer, long Flush) orphan); left--)
        {
            DeleteOrphan(orphan.Pointer, orphan.Flush);
        }

        Shared.DeleteDue();
    }

    /// <summary>Does something to what Verify and Clear look at with a writer held, inside the epoch: they, who hold all writers, see it before or
    /// after, never half done.</summary>
    internal abstract TResult WithWriter<TResult>(Func<TResult> work);

    /// <summary>Forgets what was left, and what was shared, which went with all other objects. All writers are held.</summary>
    protected void ForgetOrphans()
    {
        Shared.Reset();
        while (_orphans.TryDequeue(out _))
        {
            NoteSettled();
        }
    }
}
