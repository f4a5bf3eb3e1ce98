// The parts of a heap that know its record format, put together. It holds no operation: HeapReads, HeapWrites, HeapCare and
// HeapVerifier do.
using Pile.Cleaning;
using Pile.Format;
using Pile.Persistence;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Composition of a heap.</summary>
internal sealed class HeapCore<TFormat> : HeapBase
    where TFormat : struct, IRecordFormat
{
    internal HeapCore(PileOptions options, byte tag, LogContext log)
        : base(options, tag, TFormat.HeaderBytes, log)
    {
        Writers = new WriterSet<TFormat>(Directory, Pool, Table, Slots, log, options.WritersMax);
        Retired = new RetiredSegments<TFormat>(Epochs, Writers, Pool, log.Flushes);
        Cleaner = new Cleaner<TFormat>(Directory, Pool, Writers, Retired, new TableOwner(Table), log);
        Room = new RoomMaker<TFormat>(Cleaner, Writers, Pool, Large, Slots, Budget, options.TimeProvider, tag);
        RoomForWrites = new HeapRoom<TFormat>(this);
        CheckedEntries = new HeapEntries<TFormat>(this);
        Policy.Follow(Volume);
        Policy.HoldsTombstones = TFormat.IsDurable;
        if (options.BackgroundCleaning)
        {
            Keeper.Serve(new Housekeeping<TFormat>(Cleaner, Room, Pool, Policy, Large, Budget, Epochs, options.TimeProvider, this));
        }

        Complete();
    }

    internal WriterSet<TFormat> Writers { get; }

    /// <inheritdoc/>
    internal override int WritersCount => Writers.Count;

    internal RetiredSegments<TFormat> Retired { get; }

    internal Cleaner<TFormat> Cleaner { get; }

    internal RoomMaker<TFormat> Room { get; }

    /// <summary>Room, as writers ask for it.</summary>
    internal HeapRoom<TFormat> RoomForWrites { get; }

    /// <summary>Entries, as writers swing them.</summary>
    internal HeapEntries<TFormat> CheckedEntries { get; }

    /// <summary>Where the segments ended that a killed process had open; null where none was.</summary>
    internal OpenEnds? OpenEnds { get; set; }

    /// <summary>Gives keyed records their owner. Once, before the first of them is stored, and for as long as the heap lasts: cleaner and keeper are in it from here on.</summary>
    internal void Own(IKeyedOwner keyed)
    {
        Keyed = keyed;
        Cleaner.Keyed = keyed;
        Pool.HoldsReserve = true;
    }

    /// <summary>Reads the descriptor of a large object whose run is to be retired. In files it may be damaged, and the run that it seems to
    /// describe another object's: then none is retired.</summary>
    /// <param name="location">Where the descriptor's record stands.</param>
    /// <param name="isCounted">Whether the recount has reached it. Otherwise its run is taken into use first: readers and the flush are waited
    /// for all the same.</param>
    /// <param name="run">The descriptor.</param>
    internal bool TryReadRun(long location, bool isCounted, out LargeDescriptor run)
    {
        if (!TFormat.IsDurable)
        {
            run = LargeDescriptor.Read(Directory.Space.Bytes(location, TFormat.HeaderBytes, LargeDescriptor.Bytes));
            return true;
        }

        var record = LogRecord.Read(Directory.Space, location);
        return record.TryReadRun(Directory.Space, out run) && !Touch!.HasLostRun(record)
            && (isCounted ? Large.IsRun(run.RunLocation, run.PayloadBytes) : Large.TryRestoreRun(run.RunLocation, run.PayloadBytes));
    }

    /// <summary>What the heap holds now.</summary>
    internal PileVolume Volume() => new(Writers.LiveBytes, Writers.Objects, Slots.TakenBytes, Pool.Opened.UnfitBytes, Writers.Made);
}
