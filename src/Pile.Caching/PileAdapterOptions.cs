// What all adapters have in common: the table that they keep their entries in.
// What is each one's own stands in its own options.
using System;
using Pile.Cache;

namespace Pile.Caching;

/// <summary>Options of an adapter on a cache.</summary>
public abstract class PileAdapterOptions
{
    private protected PileAdapterOptions(string tableName) => TableName = tableName;

    /// <summary>The table of the adapter's entries. No other adapter, and nobody with values of another type, may use it.</summary>
    public string TableName { get; set; }

    /// <summary>The table's options: its share of the cache, what entries live that say nothing, and whether it is durable. They count when
    /// the table is made.</summary>
    public PileTableOptions Table { get; set; } = new();

    /// <summary>Makes the table's door, which opens when it is used first: adapters are made before the host opens caches.</summary>
    internal LazyTable<TKey, TValue> TableOf<TKey, TValue>(Func<PileCache> cache)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentException.ThrowIfNullOrEmpty(TableName);
        ArgumentNullException.ThrowIfNull(Table);
        return new LazyTable<TKey, TValue>(cache, TableName, Table);
    }
}
