// Removals by tag in files: entries of a table of the cache's own, which nothing evicts and no one sees. One entry says how many there
// are: where fewer are found, or that one is missing, something was lost, and all entries with tags of before the open count as removed.
// It is written first when a removal comes, and last when one goes; where there is no room for it, it is taken away.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Tags;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>Keeps removals by tag in a table.</summary>
/// <param name="cache">The cache, in files.</param>
/// <param name="stamps">What they are kept for.</param>
/// <param name="firstStamp">A stamp greater than all of before the open.</param>
internal sealed class TagTable(PileCache cache, TagStamps stamps, long firstStamp) : ITagKeeper
{
    /// <summary>The table's name, which no other table may have.</summary>
    internal const string Name = "\u0001tags";

    /// <summary>The key of the entry that says how many there are: no table has its number.</summary>
    private static readonly UInt128 _headKey = UInt128.MaxValue;

    private PileTable<UInt128, UInt128>? _table;

    /// <summary>Whether a name is the cache's own.</summary>
    internal static bool IsName(string name) => name == Name;

    /// <summary>Takes over what is there, before anybody is in the cache.</summary>
    internal void Attach()
    {
        var removals = new Dictionary<(int Table, ulong Tag), long>();
        long floor = firstStamp;
        if (cache.HasOwnTable(Name))
        {
            PileTable<UInt128, UInt128> table = Own();
            KeyValuePair<UInt128, UInt128>[] found = [.. table.Enumerate()];
            bool hasHead = table.TryGet(_headKey, out UInt128 head);
            if (hasHead && ((ulong)head == (ulong)found.Length - 1 || Fault.CacheTagsBelieved))
            {
                floor = (long)(head >> 64);
                removals = found.Where(static item => item.Key != _headKey).ToDictionary(static item => ((int)(item.Key >> 64), (ulong)item.Key), static item => (long)item.Value);
            }
            else
            {
                table.Clear();
            }
        }

        stamps.Restore(firstStamp, floor, removals);
        stamps.Keeper = this;
        if (_table is not null && removals.Count == 0)
        {
            WriteHead(0);
        }
    }

    /// <inheritdoc/>
    public void Begin()
    {
        if (Volatile.Read(ref _table) is null)
        {
            _ = Own();
            WriteHead(0);
        }
    }

    /// <inheritdoc/>
    public void Keep(int table, ulong tag, long stamp)
    {
        UInt128 key = Key(table, tag);
        if (!_table!.ContainsKey(key))
        {
            WriteHead(1);
        }

        if (!_table.Set(key, (ulong)stamp).IsStored)
        {
            _ = _table.Remove(_headKey);
        }
    }

    /// <inheritdoc/>
    public void KeepFloor(long floor) => WriteHead(0, floor);

    /// <inheritdoc/>
    public void Forget(int table, ulong tag)
    {
        if (_table is not null && _table.Remove(Key(table, tag)))
        {
            WriteHead(0);
        }
    }

    private static UInt128 Key(int table, ulong tag) => new((ulong)(uint)table, tag);

    private PileTable<UInt128, UInt128> Own()
    {
        PileTable<UInt128, UInt128> table = cache.OwnTable<UInt128, UInt128>(Name, new PileTableOptions { DefaultPriority = PileCachePriority.NeverRemove });
        Volatile.Write(ref _table, table);
        return table;
    }

    private void WriteHead(int more, long? floor = null)
    {
        long entries = _table!.Count - (_table.ContainsKey(_headKey) ? 1 : 0) + more;
        if (!_table.Set(_headKey, new UInt128((ulong)(floor ?? stamps.Floor), (ulong)entries)).IsStored)
        {
            _ = _table.Remove(_headKey);
        }
    }
}
