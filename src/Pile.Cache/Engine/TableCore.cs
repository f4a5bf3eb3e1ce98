// The parts of a table put together: index, comparer, counts, limits. It holds no operation: TableReads, TableWrites, TableWalk
// and TableEvictor do.
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Cache.Keys;
using Pile.Format;
using Pile.Memory;

namespace Pile.Cache.Engine;

/// <summary>Composition of a table.</summary>
internal sealed class TableCore<TFormat>
    where TFormat : struct, IRecordFormat
{
    internal TableCore(CacheCore<TFormat> cache, int id, ulong seed, PileTableOptions options)
    {
        Cache = cache;
        Id = id;
        Seed = seed;
        Options = options;
        Comparer = options.Comparer is OrdinalComparer ? null : options.Comparer;
        Index = new TableIndex(cache.Regions, cache.Core.Budget);
        Space = cache.Core.Directory.Space;
        Growth = new TableGrowth(Index, Space);
        Lookup = new TableLookup<TFormat>(this);
        Reads = new TableReads<TFormat>(this);
        Writes = new TableWrites<TFormat>(this);
        Evictor = new TableEvictor<TFormat>(this);
        Walk = new TableWalk<TFormat>(this);
    }

    internal CacheCore<TFormat> Cache { get; }

    /// <summary>The table's number, never used again.</summary>
    internal int Id { get; }

    /// <summary>What hashes begin with.</summary>
    internal ulong Seed { get; }

    internal PileTableOptions Options { get; }

    /// <summary>Null for the ordinal one.</summary>
    internal IPileKeyComparer? Comparer { get; }

    internal TableIndex Index { get; }

    internal FlatSpace Space { get; }

    internal TableGrowth Growth { get; }

    internal TableCounts Counts { get; } = new();

    internal TableLookup<TFormat> Lookup { get; }

    internal TableReads<TFormat> Reads { get; }

    internal TableWrites<TFormat> Writes { get; }

    internal TableEvictor<TFormat> Evictor { get; }

    internal TableWalk<TFormat> Walk { get; }

    /// <summary>Whether entries may leave before they expire or are removed.</summary>
    internal bool IsSpeculative => Options.Kind == PileTableKind.Speculative;

    /// <summary>Whether the table was dropped: a reference that is still held answers Disposed.</summary>
    internal volatile bool IsDropped;

    /// <summary>Whether the table holds no more than its minimum, so that nothing of it is evicted now. Written with the cleaner role.</summary>
    internal volatile bool IsProtected;

    /// <summary>The hash of a key.</summary>
    internal EntryKey Key(System.ReadOnlySpan<byte> bytes) =>
        new(bytes, Comparer is null ? KeyHash.Of(bytes, Seed) : Comparer.Hash(bytes, Seed));
}
