// The first few of what there may be any number of: each damage that an open meets is told, but a file that was made for it has one a record,
// and whoever opens that must not need memory for all. How many there were stays known.
using System;
using System.Collections.Generic;

namespace Pile.Primitives;

/// <summary>Keeps the first by an order, and counts all. Not thread-safe.</summary>
/// <param name="most">How many are kept.</param>
/// <param name="order">Which come first; null for those that were added first.</param>
internal sealed class FirstFew<T>(int most, Comparison<T>? order = null)
{
    private readonly List<T> _kept = [];

    /// <summary>How many were added.</summary>
    internal long Count { get; private set; }

    /// <summary>The first of them, in their order.</summary>
    internal IReadOnlyList<T> Kept
    {
        get
        {
            Trim();
            return _kept;
        }
    }

    internal void Add(T item)
    {
        Count++;
        if (order is not null || _kept.Count < most)
        {
            _kept.Add(item);
        }

        if (_kept.Count >= 2L * most)
        {
            Trim();
        }
    }

    /// <summary>Counts some that are kept nowhere.</summary>
    internal void AddUnkept(long count) => Count += count;

    /// <summary>Forgets all.</summary>
    internal void Clear()
    {
        _kept.Clear();
        Count = 0;
    }

    private void Trim()
    {
        if (order is not null && _kept.Count > 1)
        {
            _kept.Sort(order);
        }

        if (_kept.Count > most)
        {
            _kept.RemoveRange(most, _kept.Count - most);
        }
    }
}
