// Holds the limits that a table has of its own, entries or bytes: whoever stores beyond them evicts as many entries as it takes. A
// hand goes round the buckets, and of a few of them the least worthy entry leaves: the lowest priority, then the fewest visits, then the
// oldest; those of the first of them lose a visit (CLOCK with two bits, Corbato 1969, over a sample). The cleaner does the rest for the cache as a whole.
using System.Threading;
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Eviction of one table by its own limits. Thread-safe.</summary>
internal sealed class TableEvictor<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private readonly CacheCore<TFormat> _cache = table.Cache;
    private readonly TableIndex _index = table.Index;
    private readonly WordArray _words = table.Index.Words;
    private readonly long _entriesMax = table.Options.MaximumEntries ?? long.MaxValue;
    private readonly long _bytesMax = table.Options.MaximumBytes ?? long.MaxValue;
    private uint _hand;

    /// <summary>Whether the table holds more than it may.</summary>
    internal bool IsOver => table.Counts.Entries > _entriesMax || table.Counts.Bytes > _bytesMax;

    /// <summary>Whether an entry of so many bytes could be held at all.</summary>
    internal bool CouldHold(long bytes) => bytes <= _bytesMax;

    /// <summary>Whether there will be room for an entry once all is evicted that may be; within one entry for each thread that stores.</summary>
    /// <param name="moreEntries">Entries that the table is to hold more.</param>
    /// <param name="moreBytes">Bytes that it is to hold more.</param>
    /// <param name="goingPriority">Priority of the entry that goes for it; NeverRemove for none.</param>
    internal bool HasRoom(int moreEntries, long moreBytes, int goingPriority)
    {
        long mayLeave = goingPriority == (int)PileCachePriority.NeverRemove ? 0 : -1;
        for (int priority = 0; priority < (int)PileCachePriority.NeverRemove; priority++)
        {
            mayLeave += table.Counts.EntriesOf(priority);
        }

        return mayLeave > 0 || (table.Counts.Entries + moreEntries <= _entriesMax && table.Counts.Bytes + moreBytes <= _bytesMax);
    }

    /// <summary>Evicts until the table holds no more than it may, but never the entry of a key.</summary>
    /// <returns>How many were evicted.</returns>
    internal int HoldLimits(scoped EntryKey spared)
    {
        int evicted = 0;
        while (IsOver && TryEvictOne(spared, ref evicted))
        {
        }

        return evicted;
    }

    /// <summary>Evicts one entry with a large value, of a priority or a lower one, if one is met soon.</summary>
    /// <param name="priority">The priority.</param>
    /// <param name="evicted">One more where it went.</param>
    /// <param name="largeBytes">Bytes of the value, or of its part in one; 0 when somebody else was quicker.</param>
    /// <returns>False when none was met.</returns>
    internal bool TryEvictLarge(int priority, ref int evicted, out long largeBytes)
    {
        largeBytes = 0;
        return table.Counts.EntriesOf(priority) > 0 && TryEvictOne(spared: default, priority, isLarge: true, ref evicted, out largeBytes);
    }

    private bool TryEvictOne(scoped EntryKey spared, ref int evicted)
    {
        int lowest = 0;
        while (lowest < (int)PileCachePriority.NeverRemove && table.Counts.EntriesOf(lowest) == 0)
        {
            lowest++;
        }

        return lowest != (int)PileCachePriority.NeverRemove && TryEvictOne(spared, lowest, isLarge: false, ref evicted, out _);
    }

    private bool TryEvictOne(scoped EntryKey spared, int lowest, bool isLarge, ref int evicted, out long largeBytes)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_cache.Core.Epochs.WriteWord);
        SegmentWriter<TFormat>? writer = null;
        ulong orphan = 0;
        largeBytes = 0;
        bool isDone;
        try
        {
            // A table that was dropped has no index any more; who drops it waits for all writers first.
            writer = _cache.Core.Writers.Hold(line);
            isDone = !table.Reads.IsEnded && TryEvict(line, writer, spared, lowest, isLarge, ref evicted, out orphan, out largeBytes);
        }
        finally
        {
            writer?.Release();
            line.Leave(held);
        }

        _cache.DeleteOrphan(orphan);
        return isDone;
    }

    private bool TryEvict(EpochLine line, SegmentWriter<TFormat> writer, scoped EntryKey spared, int lowest, bool isLarge, ref int evicted, out ulong orphan, out long largeBytes)
    {
        orphan = 0;
        largeBytes = 0;
        uint spareHome = _index.HomeOf(spared.Low);
        int looked = 0;
        long best = long.MaxValue;
        long bestLocation = 0;
        uint bestHome = 0;
        uint searched = 0;
        uint homes = _index.Homes;
        uint searchedMax = isLarge ? uint.Min(homes * 2, CacheLimits.BucketsSearchedForLarge) : homes * 2;
        bool isRare = !isLarge && table.Counts.EntriesOf(lowest) < homes / CacheLimits.BucketsSearchedForRare;
        int searchedForLowest = isRare ? CacheLimits.BucketsSearchedForRare : CacheLimits.BucketsSearched;

        // At most twice round: once to lower visits, once to find.
        while (searched++ < searchedMax)
        {
            uint home = Interlocked.Increment(ref _hand) % homes;
            looked += LookAt(home, spared, home == spareHome, isLarge ? lowest : -1, ages: looked == 0, ref best, ref bestLocation, ref bestHome) ? 1 : 0;
            bool isLowest = best >> 8 == lowest;
            if ((isLowest && looked >= CacheLimits.BucketsLookedAt) || (bestLocation != 0 && searched >= searchedForLowest))
            {
                break;
            }
        }

        if (bestLocation == 0)
        {
            return false;
        }

        // Moved or replaced meanwhile: the caller looks again whether the table is still over its limit.
        evicted += TryRemove(line, writer, bestHome, bestLocation, out orphan, out largeBytes) ? 1 : 0;
        return true;
    }

    /// <summary>Looks for the least worthy entry of a chain.</summary>
    /// <remarks>Visits are lowered (<paramref name="ages"/>) in one chain of a search alone: where each search lowered those of all that it looks at, the hand
    /// would come round many times before an entry is used again, and all would be at zero.</remarks>
    /// <returns>Whether there was any that may leave.</returns>
    private bool LookAt(uint home, scoped EntryKey spared, bool hasSpared, int largePriority, bool ages, ref long best, ref long bestLocation, ref uint bestHome)
    {
        bool any = false;
        uint bucket = home;
        do
        {
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                uint word = TableIndex.FirstWord(bucket) + lane;
                ulong cell = _words.Read(word);
                if (CellWord.IsEmpty(cell) || CellWord.Priority(cell) == (int)PileCachePriority.NeverRemove
                    || (hasSpared && table.Lookup.IsOf(CellWord.Location(cell), spared.Bytes, spared.Low))
                    || (largePriority >= 0 && (CellWord.Priority(cell) > largePriority || LargeBytesAt(CellWord.Location(cell)) == 0)))
                {
                    continue;
                }

                any = true;
                int visits = CellWord.Visits(cell);
                long worth = ((long)CellWord.Priority(cell) << 8) | (uint)visits;
                if (worth < best || (worth == best && IsOlder(CellWord.Location(cell), bestLocation)))
                {
                    (best, bestLocation, bestHome) = (worth, CellWord.Location(cell), home);
                }

                if (ages && visits > 0)
                {
                    _words.StoreByte(word, CellWord.VisitsByte, (byte)(visits - 1));
                }
            }

            bucket = BucketControl.Next(_index.Control(bucket));
        }
        while (bucket != 0);

        return any;
    }

    // Of entries as worthy the oldest leaves: else one that was just stored would, before it could be used, and whoever stores a large value, and makes room
    // for what goes with it, might evict that very one.
    private bool IsOlder(long location, long other)
    {
        int byAge = _cache.Core.Directory.At(location).Sequence.CompareTo(_cache.Core.Directory.At(other).Sequence);
        return byAge < 0 || (byAge == 0 && location < other);
    }

    private long LargeBytesAt(long location)
    {
        ulong a = table.Lookup.HeadA(location);
        return (a & KeyedHead.LinkedBit) != 0 ? _cache.LargeBytesOf(table.Reads.LinkAt(location, a)) : 0;
    }

    private bool TryRemove(EpochLine line, SegmentWriter<TFormat> writer, uint home, long location, out ulong orphan, out long largeBytes)
    {
        orphan = 0;
        largeBytes = 0;
        _index.LockBucket(home);
        bool hasMoved = false;
        try
        {
            bool isThere = table.Lookup.TryFindLocation(home, location, out uint word, out ulong cell);
            if (isThere)
            {
                hasMoved = _index.RemoveLocked(home, word);
                table.Teller.TellGone(PileEventKinds.Evicted, location);
                largeBytes = LargeBytesAt(location);
                orphan = table.Writes.CountGone(line, writer, location, table.Lookup.HeadA(location), CellWord.Priority(cell));
                table.Counts.AddEviction(line);
            }

            return isThere;
        }
        finally
        {
            _index.Unlock(home, hasMoved);
        }
    }
}
