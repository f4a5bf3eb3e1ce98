// Lists of a table while others go on: the buckets that there were at the beginning are gone through a few at a time, each with what
// was split from it since. Keys and values are copies; nothing is held between two steps but the wish that buckets are not merged.
using System;
using System.Collections.Generic;
using Pile.Cache.Engine;

namespace Pile.Cache;

/// <summary>Enumeration of tables.</summary>
public static class PileTableItems
{
    /// <summary>All entries that have not ended, in no order, while others write: one that is there throughout is met exactly once, with
    /// one of the values that it had meanwhile; one that comes or goes at most once.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <returns>Copies of keys and values. foreach disposes the enumeration; whoever steps through it by hand must, for until then the
    /// index does not shrink.</returns>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>Counts as no use of the entries. Memory: the entries of a few buckets.</remarks>
    public static IEnumerable<KeyValuePair<TKey, TValue>> Enumerate<TKey, TValue>(this PileTable<TKey, TValue> table)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        return Walk(table);
    }

    private static IEnumerable<KeyValuePair<TKey, TValue>> Walk<TKey, TValue>(PileTable<TKey, TValue> table)
        where TKey : notnull
        where TValue : notnull
    {
        TableBase parts = table.Parts;
        var locations = new List<long>();
        var items = new List<KeyValuePair<TKey, TValue>>();
        table.ThrowIfEnded();
        parts.Growth.BeginWalk();
        try
        {
            uint homes = parts.Index.Homes;
            for (uint home = 0; home < homes; home += CacheLimits.BucketsListed)
            {
                table.Core.ReadItems(table, home, uint.Min(home + CacheLimits.BucketsListed, homes), homes, locations, items);
                foreach (KeyValuePair<TKey, TValue> item in items)
                {
                    yield return item;
                }
            }
        }
        finally
        {
            parts.Growth.EndWalk();
        }
    }
}
