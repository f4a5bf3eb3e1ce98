// The parts of a table that do not know the record format, put together: index, comparer, counts, limits.
// It holds no operation: those that know the format are TableCore's parts.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Diagnostics.Tracing;
using System.Threading;
using Pile.Cache.Entries;
using Pile.Cache.Events;
using Pile.Cache.Factories;
using Pile.Cache.Files;
using Pile.Cache.Index;
using Pile.Cache.Keys;
using Pile.Cache.Tags;
using Pile.Diagnostics;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Engine;

/// <summary>Composition of a table, whatever its record format.</summary>
internal abstract class TableBase
{
    private readonly HeapBase _heap;
    private bool _hasSaidUnreadable;

    /// <summary>Puts together what both formats have.</summary>
    /// <param name="cache">The cache.</param>
    /// <param name="id">The table's number.</param>
    /// <param name="seed">What hashes begin with, and how they are made.</param>
    /// <param name="options">The table's options, checked.</param>
    /// <param name="index">The table's index.</param>
    /// <param name="file">The file that it stands in; null in memory.</param>
    /// <param name="former">The same table with other options, which this one follows; or null.</param>
    protected TableBase(CacheBase cache, int id, HashSeed seed, PileTableOptions options, TableIndex index, IndexFile? file, TableBase? former)
    {
        _heap = cache.Heap;
        Clock = cache.Clock;
        Tags = cache.Tags;
        Id = id;
        Seed = seed;
        Options = options;
        Watchers = new TableWatchers(options.EventBytes);
        Comparer = seed.Applied(options.Comparer);
        Index = index;
        Space = cache.Heap.Directory.Space;
        File = file;
        Slots = former?.Slots ?? (options.Kind == PileTableKind.Durable && file is not null ? new SlotState() : null);
        Records = former?.Records ?? new CellRecords(cache.Heap, Slots);
        Growth = former?.Growth ?? new TableGrowth(Index, Records);
        Counts = former?.Counts ?? new TableCounts();
    }

    internal CacheClock Clock { get; }

    /// <summary>Removals by tag, of the whole cache.</summary>
    internal TagStamps Tags { get; }

    /// <summary>What calls of factories have come to.</summary>
    internal FactoryCounts Factories { get; } = new();

    /// <summary>The calls of factories that are under way; null where none has ever been.</summary>
    internal IKeyFlights? Flights { get; set; }

    /// <summary>Who is told what becomes of entries.</summary>
    internal TableWatchers Watchers { get; }

    /// <summary>The table's number, of no other table while the cache is open.</summary>
    internal int Id { get; }

    /// <summary>What hashes begin with.</summary>
    internal HashSeed Seed { get; }

    internal PileTableOptions Options { get; }

    /// <summary>Null for the ordinal one with the hash of today.</summary>
    internal IPileKeyComparer? Comparer { get; }

    internal TableIndex Index { get; }

    /// <summary>The file that the index stands in; null in memory.</summary>
    internal IndexFile? File { get; }

    internal FlatSpace Space { get; }

    /// <summary>What a table knows whose cells hold slots: a durable one in files; null for all others.</summary>
    internal SlotState? Slots { get; }

    /// <summary>The way from cells to records.</summary>
    internal CellRecords Records { get; }

    internal TableGrowth Growth { get; }

    internal TableCounts Counts { get; }

    /// <summary>Whether entries may leave before they expire or are removed.</summary>
    internal bool IsSpeculative => Options.Kind == PileTableKind.Speculative;

    /// <summary>Whether the table was dropped: a reference that is still held answers Disposed.</summary>
    internal volatile bool IsDropped;

    /// <summary>Whether it was dropped, and entries are left of it that there was no room to remove (<see cref="LeftClears"/>): its index stays for them.</summary>
    internal volatile bool IsLeft;

    /// <summary>Whether it was said that options of a later call are not the table's. Under the cache's lock of tables.</summary>
    internal bool HasSaidIgnored { get; set; }

    /// <summary>Whether the table holds no more than its minimum, so that nothing of it is evicted now. Written with the cleaner role.</summary>
    internal volatile bool IsProtected;

    /// <summary>The hash of a key.</summary>
    internal EntryKey Key(ReadOnlySpan<byte> bytes) =>
        new(bytes, Comparer is null ? KeyHash.Of(bytes, Seed.Value) : Comparer.Hash(bytes, Seed.Value));

    /// <summary>Removes every entry.</summary>
    internal abstract void Clear();

    /// <summary>Says, once for the table, that entries which can't be read are made anew.</summary>
    internal void SayUnreadable(Exception failure)
    {
        if (!Interlocked.Exchange(ref _hasSaidUnreadable, true))
        {
            EventsAside.Tell(EventLevel.Warning, () => PileEventSource.Log.EntryUnreadable(_heap.Tag, Options.Name, failure.Message));
        }
    }

    /// <summary>Refuses a call on a table that has ended.</summary>
    [DoesNotReturn]
    internal void ThrowEnded() => throw new ObjectDisposedException(
        nameof(PileCache),
        IsDropped
            ? $"The table '{Options.Name}' was dropped. Get it again from the cache: GetOrCreateTable makes a new one."
            : "The cache, or the pile that it stands on, was disposed.");

    /// <summary>Refuses a write.</summary>
    [DoesNotReturn]
    internal void ThrowRefused(PileStatus status)
    {
        if (status is PileStatus.Ok or PileStatus.Disposed)
        {
            ThrowEnded();
        }

        if (status == PileStatus.Full)
        {
            throw new PileFullException(
                $"An entry of the durable table '{Options.Name}' can't be removed now: a removal leaves a note in the log, and there is no room for it. Raise the limit (MemoryLimitBytes), or free space on the device.");
        }

        _heap.ThrowIfPoisoned(status);
        Throw.Failed(status, default, "A write to the cache");
    }
}
