// The keys of a table step by step: of a few buckets at a time copies of keys are held, and no value. Who steps through them over a long
// time knows how much that is.
using System;
using System.Collections.Generic;
using Pile.Cache.Engine;

namespace Pile.Cache.Files;

/// <summary>The stored bytes of all keys whose entries have not ended, or of all that have an entry. Not thread-safe; until it is disposed the table's index does not shrink.</summary>
internal sealed class KeySteps : IDisposable
{
    private readonly FormatTable _table;
    private readonly bool _withHidden;
    private readonly List<long> _locations = [];
    private readonly List<byte[]> _keys = [];
    private readonly uint _homes;
    private uint _home;
    private int _at = -1;
    private bool _isOver;

    /// <summary>Begins.</summary>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    internal KeySteps(PileTable<byte[], byte[]> table)
        : this(table.Core, withHidden: false)
    {
    }

    /// <summary>Begins.</summary>
    /// <param name="table">The table.</param>
    /// <param name="withHidden">Whether keys are met, too, whose entries are shown to nobody: ended, kept past their end, or in place of a value.</param>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    internal KeySteps(FormatTable table, bool withHidden)
    {
        (_table, _withHidden) = (table, withHidden);
        if (table.IsEnded)
        {
            table.Parts.ThrowEnded();
        }

        table.Parts.Growth.BeginWalk();
        _homes = table.Parts.Index.Homes;
    }

    /// <summary>The key, after a <see cref="MoveNext"/> that was true.</summary>
    internal byte[] Current => _keys[_at];

    /// <summary>Bytes of the keys that are held.</summary>
    internal long HeldBytes { get; private set; }

    internal bool MoveNext()
    {
        _at++;
        while (_at == _keys.Count)
        {
            if (_home >= _homes)
            {
                return false;
            }

            uint end = uint.Min(_home + CacheLimits.BucketsListed, _homes);
            _table.ReadKeys(_home, end, _homes, _withHidden, _locations, _keys);
            (_home, _at, HeldBytes) = (end, 0, 0);
            foreach (byte[] key in _keys)
            {
                HeldBytes += key.Length;
            }
        }

        return true;
    }

    public void Dispose()
    {
        if (!_isOver)
        {
            _isOver = true;
            _table.Parts.Growth.EndWalk();
        }
    }
}
