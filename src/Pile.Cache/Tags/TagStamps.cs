// When tags were removed. Removals are numbered; an entry with tags keeps how many there had been when it began to be made, and counts as
// long as none of its tags was removed later. So a removal costs one number, however many entries go, and no clock decides.
// Bounded: where there are too many tags, the older half of the numbers becomes one, below which all entries with tags are gone.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Linq;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Events;
using Pile.Cache.Keys;
using Pile.Diagnostics;
using Pile.Format;
using Pile.Memory;

namespace Pile.Cache.Tags;

/// <summary>Removals by tag of one cache. Thread-safe; asking takes no lock.</summary>
/// <param name="budget">What bounds how many are kept.</param>
/// <param name="pile">The pile's number, for what is told of it.</param>
internal sealed class TagStamps(MemoryBudget budget, long pile)
{
    /// <summary>The number in place of a table's for a removal from all tables.</summary>
    internal const int AllTables = 0;

    private readonly ConcurrentDictionary<(int Table, ulong Tag), long> _removals = new();
    private readonly Lock _gate = new();
    private long _last;
    private long _floor;
    private int _count;

    /// <summary>The last removal: the stamp of what begins to be made now.</summary>
    internal long Now => Volatile.Read(ref _last);

    /// <summary>The stamp below which entries with tags are gone, whatever their tags.</summary>
    internal long Floor => Volatile.Read(ref _floor);

    /// <summary>Tags whose removals are kept one by one. Counted here: the dictionary takes all its locks for that, and each table is asked.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Bytes that they take, about.</summary>
    internal long Bytes => Count * (long)CacheLimits.TagStampBytes;

    /// <summary>What keeps the stamps in files, set before anybody is in the cache; null in memory.</summary>
    internal ITagKeeper? Keeper { get; set; }

    /// <summary>The cache's tables that a removal is of, for those who watch them; set before anybody is in the cache.</summary>
    internal Func<int, IEnumerable<TableBase>> Tables { get; set; } = static _ => [];

    /// <summary>Held while a table comes to be among these, so that each removal from all tables is told of by all that it takes effect in.</summary>
    internal Lock Placing { get; } = new();

    /// <summary>The stamp of an entry with tags that begins to be made now; <see cref="EntryNote.NoRoom"/> where there is none for what is noted of tags in files.</summary>
    internal long Begin()
    {
        try
        {
            Keeper?.Begin();
            return Now;
        }
        catch (PileFullException)
        {
            return EntryNote.NoRoom;
        }
    }

    /// <summary>Removes a tag from a table, or from all.</summary>
    /// <exception cref="PileFullException">There is no room for what is noted of it in files, nor did its entries make enough. Those that have it may be gone, the others stay.</exception>
    internal void Remove(int table, string tag)
    {
        Keeper?.Begin();
        ulong hash = TagHash.Of(tag);
        byte[] text = new byte[TextKey.BytesMax(tag.Length)];
        int textBytes = TextKey.Write(tag, text);
        lock (_gate)
        {
            if (_last == NoteWord.StampMax)
            {
                throw new InvalidOperationException($"The cache has recorded {NoteWord.StampMax:N0} removals by tag (StampMax), and their numbers are never used again. Use another cache.");
            }

            // Ahead of the removal: what can't be noted is refused before it counts.
            if (!_removals.ContainsKey((table, hash)) && Count >= long.Clamp(budget.LimitBytes / CacheLimits.BytesOfTagStamp, CacheLimits.TagStampsMin, CacheLimits.TagStampsMax))
            {
                RaiseFloorLocked();
            }

            // Written where it must last before it counts: what was shown as removed is never shown again. Without room it counts first, for what it
            // removes makes room as ended entries do, and where they leave less than a segment, the note takes the room of deletions that theirs have given back: a process
            // that is killed in between has removed some, and where it is taken back reads may have missed its entries for that moment.
            long stamp = _last + 1;
            long before = LastOf(table, hash);
            long heldBytes = HeldBytes(table);
            PileFullException? full = TryKeep(table, hash, stamp, hasFreed: false);
            AtOnce(table, textBytes <= CacheLimits.KeyBytesMax ? text.AsSpan(0, textBytes) : default, () =>
            {
                Volatile.Write(ref _last, stamp);
                PutLocked((table, hash), stamp);
            });
            if (full is not null && TryKeep(table, hash, stamp, hasFreed: false) is not null
                && (heldBytes - HeldBytes(table) < CacheLimits.TagNoteFreedBytesMin || TryKeep(table, hash, stamp, hasFreed: true) is not null))
            {
                TakeBackLocked((table, hash), before);
                throw full;
            }
        }
    }

    /// <summary>Whether an entry is gone that began to be made at a stamp.</summary>
    /// <param name="table">Its table.</param>
    /// <param name="tag">One of its tags.</param>
    /// <param name="stamp">Its stamp.</param>
    /// <remarks>Writer: whoever raises the floor, and forgets the removals that it stands for afterwards. Reader: the single removals first, each by a load that none after
    /// it passes (the dictionary's nodes are volatile), then the floor. The other way round a removal could be missed in both.</remarks>
    internal bool IsRemoved(int table, ulong tag, long stamp) => LastOf(table, tag) > stamp || LastOf(AllTables, tag) > stamp || Floor > stamp;

    /// <summary>Takes over what was kept in files, before anybody is in the cache.</summary>
    internal void Restore(long last, long floor, Dictionary<(int Table, ulong Tag), long> removals)
    {
        foreach (((int Table, ulong Tag) key, long stamp) in removals)
        {
            PutLocked(key, stamp);
        }

        _last = long.Max(_last, last);
        _floor = long.Max(_floor, floor);
    }

    /// <summary>Forgets the removals of a table that is no more. In files they stay until the floor takes them: a power cut may bring the table
    /// back.</summary>
    internal void Forget(int table)
    {
        if (Keeper is not null)
        {
            return;
        }

        lock (_gate)
        {
            foreach ((int Table, ulong Tag) key in _removals.Keys.Where(key => key.Table == table))
            {
                ForgetLocked(key);
            }
        }
    }

    private void PutLocked((int Table, ulong Tag) key, long stamp)
    {
        if (!_removals.ContainsKey(key))
        {
            Volatile.Write(ref _count, _count + 1);
        }

        _removals[key] = stamp;
    }

    private void ForgetLocked((int Table, ulong Tag) key)
    {
        if (_removals.TryRemove(key, out _))
        {
            Volatile.Write(ref _count, _count - 1);
        }
    }

    private void TakeBackLocked((int Table, ulong Tag) key, long before)
    {
        if (before > 0)
        {
            PutLocked(key, before);
        }
        else
        {
            ForgetLocked(key);
        }
    }

    /// <summary>Bytes of the entries of a table, or of all.</summary>
    private long HeldBytes(int table) => Tables(table).Sum(static one => one.Counts.Bytes);

    private PileFullException? TryKeep(int table, ulong hash, long stamp, bool hasFreed)
    {
        try
        {
            Keeper?.Keep(table, hash, stamp, hasFreed);
            return null;
        }
        catch (PileFullException full)
        {
            return full;
        }
    }

    private long LastOf(int table, ulong tag) => _removals.TryGetValue((table, tag), out long removal) ? removal : 0;

    /// <summary>Lets a removal count at one moment of the events of each table that it is of: what is stored with a stamp of before is told before it or is
    /// known to be hidden, what is stored with one of after is told after it.</summary>
    private void AtOnce(int id, scoped ReadOnlySpan<byte> text, Action effect)
    {
        using Lock.Scope placing = Placing.EnterScope();
        TableWatchers[] watchers = [.. Tables(id).Select(static table => table.Watchers)];
        Array.ForEach(watchers, static one => one.BeginTell());
        try
        {
            effect();
        }
        finally
        {
            foreach (TableWatchers one in watchers)
            {
                one.EndTell(PileEventKinds.TagRemoved, text);
            }
        }
    }

    private void RaiseFloorLocked()
    {
        long[] stamps = [.. _removals.Values.Order()];
        long floor = stamps[stamps.Length / 2];
        Keeper?.KeepFloor(floor);

        // The floor first: whoever does not find a stamp any more finds it.
        AtOnce(AllTables, default, () => Volatile.Write(ref _floor, floor));
        foreach (KeyValuePair<(int Table, ulong Tag), long> removal in _removals)
        {
            if (removal.Value <= floor)
            {
                ForgetLocked(removal.Key);
                Keeper?.Forget(removal.Key.Table, removal.Key.Tag);
            }
        }

        int left = Count;
        EventsAside.Tell(EventLevel.Warning, () => PileEventSource.Log.TagRemovalsMerged(pile, stamps.Length - left, left));
    }
}
