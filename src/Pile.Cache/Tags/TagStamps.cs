// When tags were removed. Removals are numbered; an entry with tags keeps how many there had been when it began to be made, and counts as
// long as none of its tags was removed later. So a removal costs one number, however many entries go, and no clock decides.
// Bounded: where there are too many tags, the older half of the numbers becomes one, below which all entries with tags are gone.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Memory;

namespace Pile.Cache.Tags;

/// <summary>Removals by tag of one cache. Thread-safe; asking takes no lock.</summary>
internal sealed class TagStamps(MemoryBudget budget)
{
    /// <summary>The number in place of a table's for a removal from all tables.</summary>
    internal const int AllTables = 0;

    private readonly ConcurrentDictionary<(int Table, ulong Tag), long> _removals = new();
    private readonly Lock _gate = new();
    private long _last;
    private long _floor;

    /// <summary>The last removal: the stamp of what begins to be made now.</summary>
    internal long Now => Volatile.Read(ref _last);

    /// <summary>The stamp below which entries with tags are gone, whatever their tags.</summary>
    internal long Floor => Volatile.Read(ref _floor);

    /// <summary>Tags whose removals are kept one by one.</summary>
    internal int Count => _removals.Count;

    /// <summary>Bytes that they take, about.</summary>
    internal long Bytes => _removals.Count * (long)CacheLimits.TagStampBytes;

    /// <summary>What keeps the stamps in files, set before anybody is in the cache; null in memory.</summary>
    internal ITagKeeper? Keeper { get; set; }

    /// <summary>The stamp of an entry with tags that begins to be made now.</summary>
    internal long Begin()
    {
        Keeper?.Begin();
        return Now;
    }

    /// <summary>Removes a tag from a table, or from all.</summary>
    internal void Remove(int table, ulong tag)
    {
        Keeper?.Begin();
        lock (_gate)
        {
            if (_last == NoteWord.StampMax)
            {
                throw new InvalidOperationException($"The cache has recorded {NoteWord.StampMax:N0} removals by tag (StampMax), and their numbers are never used again. Use another cache.");
            }

            // Written where it must last before it counts: what was shown as removed is never shown again.
            long stamp = _last + 1;
            Keeper?.Keep(table, tag, stamp);
            Volatile.Write(ref _last, stamp);
            _removals[(table, tag)] = stamp;
            if (_removals.Count > long.Clamp(budget.LimitBytes / CacheLimits.BytesOfTagStamp, CacheLimits.TagStampsMin, CacheLimits.TagStampsMax))
            {
                RaiseFloorLocked();
            }
        }
    }

    /// <summary>Whether an entry is gone that began to be made at a stamp.</summary>
    /// <param name="table">Its table.</param>
    /// <param name="tag">One of its tags.</param>
    /// <param name="stamp">Its stamp.</param>
    internal bool IsRemoved(int table, ulong tag, long stamp) => IsRemoved(table, tag, stamp, long.MaxValue);

    /// <summary>Whether a tag was removed after a stamp, and not after another.</summary>
    internal bool IsRemoved(int table, ulong tag, long after, long upTo) =>
        IsBetween(Floor, after, upTo) || IsBetween(LastOf(table, tag), after, upTo) || IsBetween(LastOf(AllTables, tag), after, upTo);

    /// <summary>Takes over what was kept in files, before anybody is in the cache.</summary>
    internal void Restore(long last, long floor, Dictionary<(int Table, ulong Tag), long> removals)
    {
        foreach (((int Table, ulong Tag) key, long stamp) in removals)
        {
            _removals[key] = stamp;
        }

        _last = long.Max(_last, last);
        _floor = long.Max(_floor, floor);
    }

    /// <summary>Forgets the removals of a table that is no more.</summary>
    internal void Forget(int table)
    {
        foreach ((int Table, ulong Tag) key in _removals.Keys.Where(key => key.Table == table))
        {
            lock (_gate)
            {
                if (_removals.TryRemove(key, out _))
                {
                    Keeper?.Forget(key.Table, key.Tag);
                }
            }
        }
    }

    private static bool IsBetween(long removal, long after, long upTo) => removal > after && removal <= upTo;

    private long LastOf(int table, ulong tag) => _removals.TryGetValue((table, tag), out long removal) ? removal : 0;

    private void RaiseFloorLocked()
    {
        long[] stamps = [.. _removals.Values.Order()];
        long floor = stamps[stamps.Length / 2];
        Keeper?.KeepFloor(floor);

        // The floor first: whoever does not find a stamp any more finds it.
        Volatile.Write(ref _floor, floor);
        foreach (KeyValuePair<(int Table, ulong Tag), long> removal in _removals)
        {
            if (removal.Value <= floor)
            {
                _ = _removals.TryRemove(removal);
                Keeper?.Forget(removal.Key.Table, removal.Key.Tag);
            }
        }
    }
}
