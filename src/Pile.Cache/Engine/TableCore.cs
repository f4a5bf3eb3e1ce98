// The parts of a table that know the record format, put together.
// It holds no operation: TableReads, TableWrites, TableWalk and TableEvictor do.
using Pile.Cache.Files;
using Pile.Cache.Index;
using Pile.Cache.Keys;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Composition of a table.</summary>
internal sealed class TableCore<TFormat> : TableBase
    where TFormat : struct, IRecordFormat
{
    internal TableCore(CacheCore<TFormat> cache, int id, HashSeed seed, PileTableOptions options, TableIndex index, IndexFile? file, TableBase? former = null)
        : base(cache, id, seed, options, index, file, former)
    {
        Cache = cache;
        Lookup = new TableLookup<TFormat>(this);
        Notes = new TableNotes<TFormat>(this);
        Reads = new TableReads<TFormat>(this);
        Teller = new TableTeller<TFormat>(this);
        Writes = new TableWrites<TFormat>(this);
        Removals = new TableRemovals<TFormat>(this);
        if (this is TableCore<DurableRecord> { Slots: not null } durable)
        {
            Looks = new SlotLooks(durable);
            InSlots = new SlotWrites(durable, Looks);
            SlotRemovals = new SlotRemovals(durable, Looks);
        }

        Shares = new TableShares<TFormat>(this);
        Evictor = new TableEvictor<TFormat>(this);
        Walk = new TableWalk<TFormat>(this);
    }

    internal CacheCore<TFormat> Cache { get; }

    internal TableLookup<TFormat> Lookup { get; }

    internal TableReads<TFormat> Reads { get; }

    internal TableNotes<TFormat> Notes { get; }

    internal TableTeller<TFormat> Teller { get; }

    internal TableWrites<TFormat> Writes { get; }

    internal TableRemovals<TFormat> Removals { get; }

    internal TableShares<TFormat> Shares { get; }

    /// <summary>The writes of a table whose cells hold slots; null for all others, as the next two.</summary>
    internal SlotWrites? InSlots { get; }

    internal SlotRemovals? SlotRemovals { get; }

    internal SlotLooks? Looks { get; }

    internal TableEvictor<TFormat> Evictor { get; }

    internal TableWalk<TFormat> Walk { get; }

    /// <inheritdoc/>
    internal override void Clear() => Walk.Clear();
}
