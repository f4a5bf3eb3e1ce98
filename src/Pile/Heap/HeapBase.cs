// What the heaps of both record formats have in common: table, segments, budget, epochs, and their end. It holds no operation.
// Its one rule: memory is unmapped only when nobody can be inside it any more.
using System;
using System.Threading;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Heap;

/// <summary>Composition and lifetime of a heap, whatever its record format.</summary>
internal abstract class HeapBase : IDisposable
{
    private readonly ExtentMap _extents;
    private readonly TimeSpan _disposeWait;
    private readonly PinCount _care = new();
    private readonly Lock _ending = new();
    private long _countedSlots = long.MaxValue;
    private long _schemas;
    private long _schemaBytes;
    private int _disposed;
    private int _writeRefusal;
    private bool _unmapped;
    private bool _isWhole;
    private Exception? _closeFailure;

    /// <summary>Puts together what both formats have.</summary>
    /// <param name="options">The pile's options, checked.</param>
    /// <param name="tag">The pile's tag.</param>
    /// <param name="headerBytes">Bytes before a record's payload.</param>
    /// <param name="log">Identity and flushes of the log.</param>
    protected HeapBase(PileOptions options, byte tag, int headerBytes, LogContext log)
    {
        Tag = tag;
        HeaderBytes = headerBytes;
        Log = log;
        Stripes = log.IsDurable ? new SlotStripes() : null;
        Time = options.TimeProvider;
        _disposeWait = options.DisposeWait;
        RegionProvider regions = Regions = options.Regions ?? RegionProvider.Default;
        LargePayloadBytesMin = (options.SegmentBytesMin / Limits.LargeObjectFraction) - headerBytes;
        Budget = new MemoryBudget(options.MemoryLimitBytes ?? DefaultLimit(regions));
        Policy = new GrowthPolicy(options.UsedOverLive, options.PreallocationBytes);
        Epochs = new EpochDomain(options.TimeProvider);
        Keeper = new Keeper();
        try
        {
            // Where reserved memory is charged for, no more than the limit of now can use: no object takes less than two words.
            long memoryBytes = regions.ReservesFreely ? long.Max(regions.MachineMemoryBytes, Budget.LimitBytes) : Budget.LimitBytes;
            long slotsMax = regions.ReservesFreely ? options.SlotsMax : long.Min(options.SlotsMax, memoryBytes / (2 * Limits.WordBytes));
            long spaceBytes = log.IsDurable ? ExtentMap.BytesForFiles(options.FlatSpaceLimitBytes ?? Budget.LimitBytes, options.FlatSpaceBytesMin) : ExtentMap.BytesFor(memoryBytes, regions.ReservesFreely ? Budget.LimitBytes : 0);
            bool holdsTable = !log.IsDurable && regions.ReservesFreely && ObjectTable.Nothing != 0;
            _extents = new ExtentMap(regions, spaceBytes, long.Max(Limits.ExtentBytes, options.FlatSpaceBytesMin), holdsTable);
            bool hasFloor = options.Origin is not null && !log.IsDurable;
            FirstGeneration = hasFloor ? EntryWord.Free(options.Origin!.FirstGeneration) : 0;
            Table = new ObjectTable(regions, (uint)slotsMax, _extents.Table) { Unissued = hasFloor ? EntryWord.Free(options.Origin!.FirstGeneration - 1) : 0 };
            Slots = new SlotPool(regions, Table, Budget);
        }
        catch
        {
            Slots?.Dispose();
            Table?.Dispose();
            _extents?.Dispose();
            Epochs.ReleaseId();
            throw;
        }

        Directory = new SegmentDirectory(_extents, regions, log.Identity, options.SegmentBytesMin, options.SegmentBytesMax);
        Pool = new SegmentPool(regions, Directory, Budget, Policy, options.HugePages, Keeper.Wake);
        Budget.ReserveBytes = () => Pool.KeepBytes;
        Large = new LargeRuns(_extents, regions, Budget, Epochs, log.Flushes);
    }

    ~HeapBase()
    {
        // A heap that was never put together must not be taken apart.
        if (!_isWhole || _unmapped)
        {
            return;
        }

        // A pile that was dropped without Dispose: its memory goes once nobody is inside. Leases do not keep the pile
        // reachable, the lines of their threads do the telling.
        // Others' finalizers may still call it: they are answered, as after Dispose.
        Volatile.Write(ref _disposed, 1);
        Interlocked.MemoryBarrier();
        Closing();
        Keeper.Stop(wait: false);
        if (!TryUnmap(waitMs: 0))
        {
            GC.ReRegisterForFinalize(this);
        }
    }

    internal byte Tag { get; }

    /// <summary>Bytes before a record's payload.</summary>
    internal int HeaderBytes { get; }

    internal LogContext Log { get; }

    internal TimeProvider Time { get; }

    internal int LargePayloadBytesMin { get; }

    internal MemoryBudget Budget { get; }

    internal GrowthPolicy Policy { get; }

    internal EpochDomain Epochs { get; }

    internal ObjectTable Table { get; }

    internal SlotPool Slots { get; }

    internal SegmentDirectory Directory { get; }

    internal SegmentPool Pool { get; }

    internal LargeRuns Large { get; }

    internal Keeper Keeper { get; }

    /// <summary>Writers that there may be.</summary>
    internal abstract int WritersCount { get; }

    /// <summary>What closes the read side when Dispose begins.</summary>
    internal Action Closing { get; set; } = static () => { };

    /// <summary>What closes the short way of Put, so that every write looks at <see cref="WriteRefusal"/>.</summary>
    internal Action ClosingWrites { get; set; } = static () => { };

    /// <summary>Notes a slot that holds a record of the pile's own.</summary>
    internal Action<uint> NoteInternal { get; set; } = static _ => { };

    /// <summary>What is due after such a record was kept and before anything refers to it.</summary>
    internal Action InternalKept { get; set; } = static () => { };

    /// <summary>What makes a Clear durable, before and after the entries go; all writers are held.</summary>
    internal (Action Begin, Action End, Action<Exception> Fail) Clearing { get; set; } = (static () => { }, static () => { }, static _ => { });

    /// <summary>Slots that neither a writer nor the pool holds, and that hold no object yet.</summary>
    internal Func<long> SlotsHeldApart { get; set; } = static () => 0;

    /// <summary>What completes a flush when reuse waits for one.</summary>
    internal Action FlushNow { get; set; } = static () => { };

    /// <summary>What ends the background work of others when Dispose begins; may be called again.</summary>
    internal Action Ending { get; set; } = static () => { };

    /// <summary>What is due when nobody is inside any more and everything is still mapped: the files are closed. What it throws keeps nothing mapped.</summary>
    internal Func<Exception?> Unmapping { get; set; } = static () => null;

    /// <summary>Whether every slot has been counted.</summary>
    internal bool IsCountedWhole => CountedSlots == long.MaxValue;

    /// <summary>What is due once the memory is unmapped, by Dispose or by the finalizer: the heap's tag goes back.</summary>
    internal Action Unmapped { get; set; } = static () => { };

    /// <summary>The owner of records that are found by key, or null.</summary>
    internal IKeyedOwner? Keyed { get; set; }

    /// <summary>Held while a cache comes to the heap, which builds indexes then and is no writer; by Clear and Verify too, before all other locks.</summary>
    internal Lock KeyedComing { get; } = new();

    /// <summary>The files that it stands in; null in memory.</summary>
    internal DurableHeap? Files { get; set; }

    /// <summary>Whether records of before the open may be a cache's whose owner is not there: then nothing of before is cleaned.</summary>
    internal bool AwaitsOwner { get; set; }

    /// <summary>Pins held; they keep the memory mapped beyond Dispose.</summary>
    internal PinCount Pins { get; } = new();

    /// <summary>Begins work that touches the heap's memory outside an epoch: cleaning, reclaiming, verifying.</summary>
    /// <returns>False when Dispose has begun; then nothing may be touched.</returns>
    internal bool TryEnterCare()
    {
        // Full fence, then the flag; Dispose sets the flag with a full fence, then reads the count. One of the two sees the other.
        _care.Add();
        if (!IsDisposed)
        {
            return true;
        }

        _care.Remove();
        return false;
    }

    /// <summary>Ends what <see cref="TryEnterCare"/> began.</summary>
    internal void ExitCare() => _care.Remove();

    /// <summary>Whether Dispose has begun. Read inside an epoch, after entering it.</summary>
    internal bool IsDisposed => Volatile.Read(ref _disposed) != 0;

    /// <summary>Records of schemas: the pile's own, in no count of objects.</summary>
    internal long Schemas => Volatile.Read(ref _schemas);

    /// <summary>Bytes of those records.</summary>
    internal long SchemaBytes => Volatile.Read(ref _schemaBytes);

    /// <summary>Counts the schema records of a pile that was opened again.</summary>
    internal void CountSchemas(long records, long recordBytes)
    {
        Interlocked.Add(ref _schemaBytes, recordBytes);
        Interlocked.Add(ref _schemas, records);
    }

    /// <summary>Counts a schema record, which is never deleted.</summary>
    internal void CountSchema(int recordBytes) => CountSchemas(1, recordBytes);

    internal ExtentMap Extents => _extents;

    /// <summary>Locks over slots; null in memory, where entries are all that updates compete for.</summary>
    internal SlotStripes? Stripes { get; }

    /// <summary>What verifies objects of before the pile was opened; null in memory.</summary>
    internal FirstTouch? Touch { get; set; }

    /// <summary>Where its memory comes from.</summary>
    internal RegionProvider Regions { get; }

    /// <summary>The lowest generation that a slot may be issued with, in its place in an entry: rises with each recovery that may
    /// have lost what was issued (R8). In memory only an imported pile has one, and its table begins with it.</summary>
    internal ulong FirstGeneration { get; set; }

    /// <summary>Slots below this are counted: those that had been issued when the pile was opened, once all of them are.</summary>
    internal long CountedSlots
    {
        get => Volatile.Read(ref _countedSlots);
        set => Volatile.Write(ref _countedSlots, value);
    }

    /// <summary>The last sequence that a segment may have had when the pile was opened.</summary>
    internal long OpenedSequence { get; set; }

    /// <summary>Whether the record of a slot at a location is in the counts: those of before the pile was opened are only once the
    /// recount has reached their slot. Under the slot's stripe, or by the slot's only owner.</summary>
    internal bool IsCounted(uint slot, long location) => HasCounted(slot) || Directory.At(location).Sequence > OpenedSequence;

    /// <summary>Slots that had been issued when the pile was opened, slot 0 included.</summary>
    internal long OpenedSlots { get; set; }

    /// <summary>Whether a slot's object is in the count of objects, and the slot itself in the pool when it is free.</summary>
    internal bool IsSlotCounted(uint slot) => HasCounted(slot) || slot >= OpenedSlots;

    /// <summary>How far the recount is, while there is one.</summary>
    internal CountedChunks? Counting { get; set; }

    /// <summary>What has the recount done on all cores, because somebody waits for it.</summary>
    internal Action CountFaster { get; set; } = static () => { };

    /// <summary>Set once everything is counted, or Dispose has begun.</summary>
    internal ManualResetEventSlim Counted { get; } = new(initialState: true);

    /// <summary>Waits until every slot is counted, or Dispose has begun.</summary>
    internal void WaitCounted(CancellationToken cancellationToken = default)
    {
        if (!Counted.IsSet)
        {
            CountFaster();
            Counted.Wait(cancellationToken);
        }
    }

    private bool HasCounted(uint slot) => slot < CountedSlots || (Counting is { } counting && counting.HasPassed(slot));

    /// <summary>Takes apart a heap whose open failed: nobody has seen it.</summary>
    internal void Abandon()
    {
        _unmapped = true;
        _isWhole = false;
        Keeper.Dispose();
        _extents.Dispose();
        Table.Dispose();
        Slots.Dispose();
        Touch?.Dispose();
        Epochs.ReleaseId();
        Counted.Dispose();
    }

    /// <summary>The last step of the constructor of the whole.</summary>
    protected void Complete() => _isWhole = true;

    /// <summary>What every write is answered, or Ok.</summary>
    internal PileStatus WriteRefusal => IsDisposed ? PileStatus.Disposed : (PileStatus)Volatile.Read(ref _writeRefusal);

    /// <summary>The exception for a write that is refused as Poisoned, with the failure; null while nothing has failed.</summary>
    internal Func<PilePoisonedException?> Poisoning { get; set; } = static () => null;

    /// <summary>Throws the failure that has ended all writing, where a status says so.</summary>
    internal void ThrowIfPoisoned(PileStatus status)
    {
        if (status == PileStatus.Poisoned && Poisoning() is { } poisoned)
        {
            throw poisoned;
        }
    }

    /// <summary>Refuses every write from now on.</summary>
    internal void RefuseWrites(PileStatus status) => Volatile.Write(ref _writeRefusal, (int)status);

    /// <summary>Bytes of the memory limit when none is given: three quarters of what the process may use.</summary>
    internal static long DefaultLimit(RegionProvider regions) => long.Max(Limits.MemoryLimitMin, regions.MachineMemoryBytes / 4 * 3);

    /// <summary>Ends the heap: refuses new calls, waits for those inside, unmaps.</summary>
    /// <exception cref="PileBusyException">Leases or pins outlasted the wait; the memory they see stays mapped.</exception>
    public void Dispose()
    {
        // Dispose flag, then the epoch's barrier, then the lines: a thread that enters later sees the flag.
        Volatile.Write(ref _disposed, 1);
        Interlocked.MemoryBarrier();
        Closing();

        // One at a time: a second caller must not unmap while the first still waits for the background thread.
        // An interrupt would leave the files open, and their process the owner of the lock.
        Exception? failure = null;
        Gates.Anyhow(() => failure = End());

        // Before the failure is told: all is taken apart, whether or not the files could be closed in order.
        GC.SuppressFinalize(this);
        if (failure is not null)
        {
            throw failure;
        }
    }

    /// <returns>The failure that kept the files from being closed in order, or null.</returns>
    private Exception? End()
    {
        using Lock.Scope alone = _ending.EnterScope();
        if (Volatile.Read(ref _unmapped))
        {
            return null;
        }

        Keeper.Stop(wait: true);
        Ending();
        if (!TryUnmap((int)_disposeWait.TotalMilliseconds))
        {
            (int threads, _, string names) = Epochs.Holders();
            throw new PileBusyException(
                $"Dispose waited {_disposeWait.TotalSeconds:0.###} s (PileOptions.DisposeWait) for {threads} thread(s) inside leases or calls{(threads > 0 ? ": " + names : string.Empty)} and {Pins.Count} pin(s). The pile answers Disposed from now on; what is held stays mapped. Dispose them, then call Dispose again.");
        }

        Keeper.Dispose();
        return _closeFailure;
    }

    private bool TryUnmap(int waitMs)
    {
        long started = Time.GetTimestamp();
        long epoch = Epochs.Advance();
        if (!Epochs.WaitPassed(epoch, waitMs))
        {
            return false;
        }

        var spin = default(SpinWait);
        while (Pins.Count > 0 || _care.Count > 0)
        {
            if (Time.GetElapsedTime(started).TotalMilliseconds >= waitMs)
            {
                return false;
            }

            spin.SpinOnce();
        }

        lock (Pins)
        {
            if (!_unmapped)
            {
                Volatile.Write(ref _unmapped, true);
                try
                {
                    _closeFailure = Unmapping();
                }
                finally
                {
                    Keyed?.Unmap();
                    _extents.Dispose();
                    Table.Dispose();
                    Slots.Dispose();
                    Touch?.Dispose();
                    Epochs.ReleaseId();
                    Unmapped();
                }
            }
        }

        return true;
    }
}
