// The parts of one pile's heap, put together and taken apart. It holds no operation: HeapReads, HeapWrites, HeapCare and
// HeapVerifier do. Its one rule: memory is unmapped only when nobody can be inside it any more.
using System;
using System.Threading;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Heap;

/// <summary>Composition and lifetime of a heap.</summary>
internal sealed class HeapCore<TFormat> : IDisposable
    where TFormat : struct, IRecordFormat
{
    private readonly ExtentMap _extents;
    private readonly TimeSpan _disposeWait;
    private readonly PinCount _care = new();
    private readonly Lock _ending = new();
    private long _schemas;
    private long _schemaBytes;
    private int _disposed;
    private bool _unmapped;

    internal HeapCore(PileOptions options, byte tag)
    {
        // A heap that was never put together must not be taken apart by the finalizer.
        GC.SuppressFinalize(this);
        Tag = tag;
        Time = options.TimeProvider;
        _disposeWait = options.DisposeWait;
        RegionProvider regions = options.Regions ?? RegionProvider.Default;
        LargePayloadBytesMin = (options.SegmentBytesMin / Limits.LargeObjectFraction) - TFormat.HeaderBytes;
        Budget = new MemoryBudget(options.MemoryLimitBytes ?? DefaultLimit(regions));
        Policy = new GrowthPolicy(options.UsedOverLive);
        Epochs = new EpochDomain(options.TimeProvider);
        Keeper = new Keeper();
        try
        {
            // Where reserved memory is charged for, no more than the limit of now can use: no object takes less than two words.
            long memoryBytes = regions.ReservesFreely ? long.Max(regions.MachineMemoryBytes, Budget.LimitBytes) : Budget.LimitBytes;
            long slotsMax = regions.ReservesFreely ? options.SlotsMax : long.Min(options.SlotsMax, memoryBytes / (2 * Limits.WordBytes));
            long spaceBytes = long.Max(memoryBytes * Limits.FlatSpaceFactor, 2 * Limits.ExtentBytes);
            _extents = new ExtentMap(regions, long.Min(spaceBytes, Limits.FlatSpaceBytesMax), Limits.ExtentBytes);
            Table = new ObjectTable(regions, (uint)slotsMax);
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

        Directory = new SegmentDirectory(_extents, options.SegmentBytesMin, options.SegmentBytesMax);
        Pool = new SegmentPool(regions, Directory, Budget, Policy, options.HugePages, Keeper.Wake);
        Writers = new WriterSet<TFormat>(Directory, Pool, Table, Slots, options.WritersMax);
        Large = new LargeRuns(_extents, regions, Budget, Epochs);
        Retired = new RetiredSegments<TFormat>(Epochs, Writers, Pool);
        Cleaner = new Cleaner<TFormat>(Directory, Pool, Writers, Retired, new TableOwner(Table));
        Room = new RoomMaker<TFormat>(Cleaner, Pool, Large, Slots, Budget, options.TimeProvider, tag);
        Policy.Follow(Volume);
        if (options.BackgroundCleaning)
        {
            Keeper.Serve(new Housekeeping<TFormat>(Cleaner, Pool, Policy, Large, Budget, Epochs, Writers, options.TimeProvider, this));
        }

        GC.ReRegisterForFinalize(this);
    }

    ~HeapCore()
    {
        // A pile that was dropped without Dispose: its memory goes once nobody is inside. Leases do not keep the pile
        // reachable, the lines of their threads do the telling.
        Volatile.Write(ref _disposed, 1);
        Keeper.Stop(wait: false);
        if (!TryUnmap(waitMs: 0))
        {
            GC.ReRegisterForFinalize(this);
        }
    }

    internal byte Tag { get; }

    internal TimeProvider Time { get; }

    internal int LargePayloadBytesMin { get; }

    internal MemoryBudget Budget { get; }

    internal GrowthPolicy Policy { get; }

    internal EpochDomain Epochs { get; }

    internal ObjectTable Table { get; }

    internal SlotPool Slots { get; }

    internal SegmentDirectory Directory { get; }

    internal SegmentPool Pool { get; }

    internal WriterSet<TFormat> Writers { get; }

    internal LargeRuns Large { get; }

    internal RetiredSegments<TFormat> Retired { get; }

    internal Cleaner<TFormat> Cleaner { get; }

    internal RoomMaker<TFormat> Room { get; }

    internal Keeper Keeper { get; }

    /// <summary>What closes the read side when Dispose begins.</summary>
    internal Action Closing { get; set; } = static () => { };

    /// <summary>What is due once the memory is unmapped, by Dispose or by the finalizer: the heap's tag goes back.</summary>
    internal Action Unmapped { get; set; } = static () => { };

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

    /// <summary>Counts a schema record, which is never deleted.</summary>
    internal void CountSchema(int recordBytes)
    {
        Interlocked.Add(ref _schemaBytes, recordBytes);
        Interlocked.Increment(ref _schemas);
    }

    /// <summary>What the heap holds now.</summary>
    internal PileVolume Volume() => new(Writers.LiveBytes, Writers.Objects, Slots.TakenBytes, Writers.Made);

    /// <summary>Bytes of the memory limit when none is given: three quarters of what the process may use.</summary>
    internal static long DefaultLimit(RegionProvider regions) =>
        long.Max(Limits.MemoryLimitMin, regions.MachineMemoryBytes / 4 * 3);

    /// <summary>Ends the heap: refuses new calls, waits for those inside, unmaps.</summary>
    /// <exception cref="PileBusyException">Leases or pins outlasted the wait; the memory they see stays mapped.</exception>
    public void Dispose()
    {
        // Dispose flag, then the epoch's barrier, then the lines: a thread that enters later sees the flag.
        Volatile.Write(ref _disposed, 1);
        Interlocked.MemoryBarrier();
        Closing();

        // One at a time: a second caller must not unmap while the first still waits for the background thread.
        lock (_ending)
        {
            End();
        }

        GC.SuppressFinalize(this);
    }

    private void End()
    {
        if (Volatile.Read(ref _unmapped))
        {
            return;
        }

        Keeper.Stop(wait: true);
        if (!TryUnmap((int)_disposeWait.TotalMilliseconds))
        {
            (int threads, _, string names) = Epochs.Holders();
            throw new PileBusyException(
                $"Dispose waited {_disposeWait.TotalSeconds:0.###} s (PileOptions.DisposeWait) for {threads} thread(s) inside leases or calls{(threads > 0 ? ": " + names : string.Empty)} and {Pins.Count} pin(s). The pile answers Disposed from now on; what is held stays mapped. Dispose them, then call Dispose again.");
        }

        Keeper.Dispose();
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
                _extents.Dispose();
                Table.Dispose();
                Slots.Dispose();
                Epochs.ReleaseId();
                Unmapped();
            }
        }

        return true;
    }
}
