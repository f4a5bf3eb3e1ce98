// Lists of a table while others go on: the buckets that there were at the beginning are gone through a few at a time, each with what
// was split from it since. Keys and values are copies; nothing is held between two steps but the wish that buckets are not merged.
using System;
using System.Collections.Generic;
using Pile.Cache.Engine;
using Pile.Cache.Keys;
using Pile.Epochs;
using Pile.Format;

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
        TableCore<MemoryRecord> core = table.Core;
        var locations = new List<long>();
        var items = new List<KeyValuePair<TKey, TValue>>();
        table.ThrowIfEnded();
        core.Growth.BeginWalk();
        try
        {
            uint homes = core.Index.Homes;
            for (uint home = 0; home < homes; home += CacheLimits.BucketsListed)
            {
                Read(table, home, uint.Min(home + CacheLimits.BucketsListed, homes), homes, locations, items);
                foreach (KeyValuePair<TKey, TValue> item in items)
                {
                    yield return item;
                }
            }
        }
        finally
        {
            core.Growth.EndWalk();
        }
    }

    /// <summary>Reads the entries of a few buckets.</summary>
    private static void Read<TKey, TValue>(
        PileTable<TKey, TValue> table, uint first, uint end, uint homes, List<long> locations, List<KeyValuePair<TKey, TValue>> items)
        where TKey : notnull
        where TValue : notnull
    {
        TableCore<MemoryRecord> core = table.Core;
        locations.Clear();
        items.Clear();
        EpochLine line = EpochLine.Current;
        long lease = line.BeginLease(core.Cache.Core.Epochs.IdWord);
        try
        {
            core.Walk.List(first, end, homes, locations);
            long now = core.Cache.Clock.Now;
            foreach (long location in locations)
            {
                ulong a = core.Lookup.HeadA(location);
                if (core.Reads.HasEnded(location, a, now))
                {
                    continue;
                }

                TKey key = KeyCodec<TKey>.Decode(table.Cache.Pile, core.Reads.KeyAt(location));
                if (TryRead(table, key, location, a, out TValue? value))
                {
                    items.Add(new KeyValuePair<TKey, TValue>(key, value!));
                }
            }
        }
        finally
        {
            line.EndScope(lease);
        }
    }

    private static bool TryRead<TKey, TValue>(PileTable<TKey, TValue> table, TKey key, long location, ulong a, out TValue? value)
        where TKey : notnull
        where TValue : notnull
    {
        if ((a & KeyedHead.LinkedBit) != 0)
        {
            // Its object may be gone by now, when the entry was replaced: then the key has another value, or none.
            return table.TryGet(key, out value);
        }

        ReadOnlySpan<byte> bytes = table.Core.Reads.ValueAt(location, a);
        if (!TypedPayloads.TryRead(table.Cache.Pile, KeyedHead.Lane(a), bytes, out value))
        {
            TypedPayloads.ThrowMismatch<TValue>(default, KeyedHead.Lane(a), bytes.Length);
        }

        return true;
    }
}
