// What a cache or a table holds and has done, at a moment.
// A snapshot: nothing in it changes.
using Pile.Cache.Engine;

namespace Pile.Cache;

/// <summary>Figures of a cache, or of one table, where those of memory are the cache's.</summary>
public sealed record PileCacheStatistics
{
    /// <summary>Entries, those included that have ended and are not removed yet.</summary>
    public long Entries { get; init; }

    /// <summary>Bytes of their records: heads, keys and values. An object that entries share (<see cref="PileTablePointers"/>) counts with each of them,
    /// here and in what follows, so that these may be more than the pile holds.</summary>
    public long EntryBytes { get; init; }

    /// <summary>Of these, bytes of durable tables, which nothing evicts.</summary>
    public long DurableBytes { get; init; }

    /// <summary>Bytes that eviction may take: of entries of speculative tables, without those with the priority NeverRemove, taken at their
    /// table's mean size, and without what <see cref="PileTableOptions.MinimumBytes"/> spares. Where large objects are shared by many of them, a health
    /// check that is made of it tells a full pile late or not at all.</summary>
    public long EvictableBytes { get; init; }

    /// <summary>Reads that found an entry.</summary>
    public long Hits { get; init; }

    /// <summary>Reads that found none.</summary>
    public long Misses { get; init; }

    /// <summary>Entries that left to make room.</summary>
    public long Evictions { get; init; }

    /// <summary>Entries that were removed because they had ended, or a tag of theirs had been removed.</summary>
    public long Expirations { get; init; }

    /// <summary>Entries that came back soon after they had left; they are kept longer then.</summary>
    public long GhostHits { get; init; }

    /// <summary>Entries of before the open that were found to be damaged, each a miss since; of the cache. 0 in memory.</summary>
    public long DamagedEntries { get; init; }

    /// <summary>Times that GetOrAdd called a factory.</summary>
    public long FactoryCalls { get; init; }

    /// <summary>Times that a factory failed.</summary>
    public long FactoryFailures { get; init; }

    /// <summary>Calls of GetOrAdd that waited for a factory that another had called.</summary>
    public long FactoryJoins { get; init; }

    /// <summary>Calls of GetOrAdd that were served an entry past its end.</summary>
    public long StaleServed { get; init; }

    /// <summary>Tags whose removals are kept, of the cache.</summary>
    public long RemovedTags { get; init; }

    /// <summary>Bytes of the GC heap that these take, about; at most some 4 MiB.</summary>
    public long RemovedTagBytes { get; init; }

    /// <summary>Objects of the pile that entries share (<see cref="PileTablePointers"/>), of the cache; 0 for a table.</summary>
    public long SharedObjects { get; init; }

    /// <summary>Bytes of indexes, ghosts and counts of shared objects.</summary>
    public long IndexBytes { get; init; }

    /// <summary>Bytes that the pile holds, everything included.</summary>
    public long UsedBytes { get; init; }

    /// <summary>The limit on these.</summary>
    public long MemoryLimitBytes { get; init; }

    /// <summary>These figures with a table's added.</summary>
    internal PileCacheStatistics Plus(TableBase table) => this with
    {
        Entries = Entries + table.Counts.Entries,
        EntryBytes = EntryBytes + table.Counts.Bytes,
        DurableBytes = DurableBytes + (table.IsSpeculative ? 0 : table.Counts.Bytes),
        EvictableBytes = EvictableBytes + Evictable(table),
        Hits = Hits + table.Counts.Hits,
        Misses = Misses + table.Counts.Misses,
        Evictions = Evictions + table.Counts.Evictions,
        Expirations = Expirations + table.Counts.Expirations,
        FactoryCalls = FactoryCalls + table.Factories.Calls,
        FactoryFailures = FactoryFailures + table.Factories.Failures,
        FactoryJoins = FactoryJoins + table.Factories.Joins,
        StaleServed = StaleServed + table.Factories.Stale,
        RemovedTags = table.Tags.Count,
        RemovedTagBytes = table.Tags.Bytes,
    };

    private static long Evictable(TableBase table)
    {
        (long bytes, long entries, long never) = (table.Counts.Bytes, table.Counts.Entries, table.Counts.EntriesOf((int)PileCachePriority.NeverRemove));
        if (!table.IsSpeculative || entries <= 0)
        {
            return 0;
        }

        double may = (double)bytes * long.Max(0, entries - never) / entries;
        return long.Max(0, long.Min((long)may, bytes - table.Options.MinimumBytes));
    }
}
