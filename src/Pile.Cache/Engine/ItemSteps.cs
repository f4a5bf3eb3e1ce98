// Steps over the entries of a table: the buckets that there were at the beginning are gone through a few at a time, each with what was split
// from it since. No iterator of the language, which is over once it has thrown: an entry that can't be read throws, and the next step goes on behind it.
using System;
using System.Collections;
using System.Collections.Generic;

namespace Pile.Cache.Engine;

/// <summary>One walk over a table, begun by its first step. Not for two threads at once; until it is over, or disposed, the index does not shrink.</summary>
internal sealed class ItemSteps<TKey, TValue>(PileTable<TKey, TValue> table) : IEnumerator<KeyValuePair<TKey, TValue>>
    where TKey : notnull
    where TValue : notnull
{
    private readonly List<long> _locations = [];
    private readonly List<ListedItem<TKey, TValue>> _items = [];
    private uint _homes;
    private uint _home;
    private int _next;
    private bool _isBegun;
    private bool _isOver;

    /// <summary>The entry of the last step; of one that threw the key alone, or default where the key can't be read either.</summary>
    public KeyValuePair<TKey, TValue> Current { get; private set; }

    object IEnumerator.Current => Current;

    /// <summary>Goes on to the next entry.</summary>
    /// <returns>False at the end, and after a failure that is no entry's.</returns>
    public bool MoveNext()
    {
        Current = default;
        if (!_isBegun && !_isOver)
        {
            Begin();
        }

        while (_next == _items.Count)
        {
            if (_isOver || _home >= _homes)
            {
                Dispose();
                return false;
            }

            ReadGroup();
        }

        ListedItem<TKey, TValue> met = _items[_next++];
        Current = met.Item;
        met.Failure?.Throw();
        return true;
    }

    /// <inheritdoc/>
    public void Reset() => throw new NotSupportedException("Enumerate again: a walk over a table can't begin anew.");

    /// <inheritdoc/>
    public void Dispose()
    {
        _items.Clear();
        _next = 0;
        if (_isBegun && !_isOver)
        {
            table.Parts.Growth.EndWalk();
        }

        _isOver = true;
    }

    private void Begin()
    {
        // Over where it can't begin: who catches and steps on comes to an end.
        _isOver = true;
        table.ThrowIfEnded();
        table.Parts.Growth.BeginWalk();
        (_isBegun, _isOver) = (true, false);
        _homes = table.Parts.Index.Homes;
    }

    private void ReadGroup()
    {
        _next = 0;
        uint end = uint.Min(_home + CacheLimits.BucketsListed, _homes);
        try
        {
            table.Core.ReadItems(table, _home, end, _homes, _locations, _items);
            _home = end;
        }
        catch
        {
            Dispose();
            throw;
        }
    }
}
