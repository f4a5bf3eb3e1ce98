// Removals by tag in files: entries of a durable table of the cache's own, which no one sees, so that they last as long as any entry.
// One entry says how many there are: where fewer are found, or that one is missing, something was lost, and all entries with tags of
// before the open count as removed. A power cut alone loses what no flush had covered, and what had been removed meanwhile is back as
// if the removal had not been: that is as old as the last flush, as all that a durable table has. So the entry says as well how many cuts the pile had
// seen: the open behind one may have been of the pile alone, and only a later one brings the cache.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Tags;
using Pile.Format;
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

    private const int CountBits = 24;
    private const ulong CountMask = (1UL << CountBits) - 1;

    /// <summary>The key of the entry that says how many there are: no table has its number.</summary>
    private static readonly UInt128 _headKey = UInt128.MaxValue;

    /// <summary>Held by whoever writes: the count in the head is that of the entries.</summary>
    private readonly Lock _writing = new();
    private PileTable<UInt128, UInt128>? _table;
    private long _clears;
    private long _begunAt = -1;

    /// <summary>Whether a name is the cache's own.</summary>
    internal static bool IsName(string name) => name == Name;

    /// <summary>Takes over what is there, before anybody is in the cache.</summary>
    internal void Attach()
    {
        var removals = new Dictionary<(int Table, ulong Tag), long>();
        long floor = firstStamp;
        if (cache.HasOwnTable(Name))
        {
            PileTable<UInt128, UInt128> table = _table = Own();
            KeyValuePair<UInt128, UInt128>[] found = [.. table.Enumerate()];
            bool hasHead = table.TryGet(_headKey, out UInt128 head);
            if (hasHead && (IsWhole((ulong)head, found.Length - 1) || Fault.CacheTagsBelieved))
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
        if (_table is not null && (TryWriteHead(_table, 0, stamps.Floor) || floor != firstStamp))
        {
            // Where there is no room for a new one, what the old one says holds.
            _begunAt = 0;
        }
    }

    /// <inheritdoc/>
    public void Begin()
    {
        if (Volatile.Read(ref _begunAt) == Volatile.Read(ref _clears))
        {
            return;
        }

        lock (_writing)
        {
            // A Clear that comes meanwhile may take the head away again.
            long clears = Volatile.Read(ref _clears);
            if (_begunAt != clears)
            {
                Require(TryWriteHead(_table ??= Own(), 0, stamps.Floor));
                Volatile.Write(ref _begunAt, clears);
            }
        }
    }

    /// <inheritdoc/>
    public void NoteCleared() => Interlocked.Increment(ref _clears);

    /// <inheritdoc/>
    public void Keep(int table, ulong tag, long stamp, bool hasFreed)
    {
        lock (_writing)
        {
            _table!.Parts.Slots!.TakesDeletionRoom = hasFreed;
            try
            {
                KeepLocked(table, tag, stamp);
            }
            finally
            {
                _table.Parts.Slots.TakesDeletionRoom = false;
            }
        }
    }

    /// <inheritdoc/>
    public void KeepFloor(long floor)
    {
        lock (_writing)
        {
            Require(TryWriteHead(_table!, 0, floor));
        }

        if (cache.Pile.Promise() == PilePromise.PowerSafe)
        {
            // Before any removal goes that the floor stands for.
            cache.Pile.Commit();
        }
    }

    /// <inheritdoc/>
    public void Forget(int table, ulong tag)
    {
        lock (_writing)
        {
            UInt128 key = Key(table, tag);
            if (_table is not null && _table.ContainsKey(key) && TryWriteHead(_table, -1, stamps.Floor))
            {
                _ = _table.Remove(key);
            }
        }
    }

    private void KeepLocked(int table, ulong tag, long stamp)
    {
        // Before the head counts it: killed in between there is one more than it says, and never one less.
        UInt128 key = Key(table, tag);
        bool isNew = !_table!.ContainsKey(key);
        Require(_table.Set(key, (ulong)stamp).IsStored);
        if (isNew)
        {
            // Without room the head says one less until the next one is written: an open finds the removal all the same.
            _ = TryWriteHead(_table, 0, stamps.Floor);
        }
    }

    /// <summary>What the head says: low to high the entries, 24 bits, the recoveries that the pile had seen, 24, and the losses that were accepted, 16.</summary>
    private ulong Told(long entries) => (ulong)entries | ((ulong)(uint)cache.Pile.RecoveryReport().Recoveries << CountBits)
        | ((ulong)(ushort)cache.Pile.Durable!.Directory.Meta.LossAcceptedCount << (2 * CountBits));

    /// <summary>Whether at least as many entries are there as the head says, or what power cuts since have left of them, and nothing was damaged.</summary>
    private bool IsWhole(ulong head, long entries)
    {
        MetaSlot meta = cache.Pile.Durable!.Directory.Meta;
        ulong recoveriesSince = (meta.RecoveryCount - (head >> CountBits)) & CountMask;
        ulong lossesDiffer = (head ^ Told(entries)) >> (2 * CountBits);
        return entries >= (long)(head & CountMask)
            || (recoveriesSince > meta.RecoveryCount - meta.SoundSince && lossesDiffer == 0 && cache.Pile.RecoveryReport().Damages.Count == 0);
    }

    private static UInt128 Key(int table, ulong tag) => new((ulong)(uint)table, tag);

    private PileTable<UInt128, UInt128> Own() =>
        cache.OwnTable<UInt128, UInt128>(Name, new PileTableOptions { Kind = PileTableKind.Durable });

    private bool TryWriteHead(PileTable<UInt128, UInt128> table, int more, long floor)
    {
        long entries = table.Count - (table.ContainsKey(_headKey) ? 1 : 0) + more;
        return table.Set(_headKey, new UInt128((ulong)floor, Told(entries))).IsStored;
    }

    // What an open would not find does not take place: an open that misses it would take all entries with tags for removed.
    private void Require(bool isKept)
    {
        if (!isKept)
        {
            throw new PileFullException(
                $"There is no room for what is noted of tags: {cache.Pile.GetStatistics().UsedBytes:N0} of MemoryLimitBytes = {cache.Pile.MemoryLimitBytes:N0} bytes are in use, and nothing may be evicted. The tag was not removed: entries that have it may be gone, to make room, and the others stay. Remove entries, or raise the limit, and call again.");
        }
    }
}
