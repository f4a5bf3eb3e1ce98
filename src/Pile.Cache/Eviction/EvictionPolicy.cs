// Which entries leave. S3-FIFO (Yang, Zhang, Qiu, Yue and Vinayak, SOSP 2023) with the log as its queues: what writers append is the
// small queue, what survived cleaning the main one, and a segment is the step of both. Deviations: entries leave by the segment; a
// key that comes back while its ghost is there is appended like any and marked as belonging to the main queue; priorities and the
// minimum of a table come before visits.
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Index;
using Pile.Cleaning;
using Pile.Format;
using Pile.Memory;
using Pile.Segments;

namespace Pile.Cache.Eviction;

/// <summary>The policy of one cache. Members need the cleaner role where they do not say otherwise.</summary>
internal sealed class EvictionPolicy<TFormat>(CacheCore<TFormat> cache)
    where TFormat : struct, IRecordFormat
{
    private readonly SegmentDirectory _directory = cache.Core.Directory;
    private int _priority;
    private int _strictness;
    private int _vainPasses;
    private int _vainRecords;
    private long _evictedBefore;
    private long _largeBytes;
    private bool _goesOn;
    private long _evicted;

    /// <summary>Those that any thread let go for the sake of a large value; the others are counted by the one thread that cleans.</summary>
    private long _evictedByHand;

    /// <summary>Entries that the policy let go.</summary>
    internal long Evicted => Volatile.Read(ref _evicted) + Volatile.Read(ref _evictedByHand);

    /// <summary>The lowest priority of which a speculative table has entries that may be evicted; -1 for none. Called by anyone.</summary>
    internal int LowestPriority()
    {
        int lowest = (int)PileCachePriority.NeverRemove;
        foreach (TableCore<TFormat>? table in cache.Tables)
        {
            if (table is not { IsSpeculative: true } || IsWithinMinimum(table))
            {
                continue;
            }

            for (int priority = 0; priority < lowest; priority++)
            {
                if (table.Counts.EntriesOf(priority) > 0)
                {
                    lowest = priority;
                }
            }
        }

        return lowest == (int)PileCachePriority.NeverRemove ? -1 : lowest;
    }

    /// <summary>Offers the oldest segment of the queue that has too much.</summary>
    internal void Offer(Victims victims, long roomBytes)
    {
        bool goesOn = Volatile.Read(ref _goesOn);
        IsHeldBack = false;
        Volatile.Write(ref _goesOn, false);
        int lowest = LowestPriority();
        if (lowest < 0)
        {
            return;
        }

        foreach (TableCore<TFormat>? table in cache.Tables)
        {
            // As the pass begins: a minimum holds to within one segment.
            _ = table is not null && (table.IsProtected = IsWithinMinimum(table));
        }

        // Where passes evict nothing, all that they meet having been visited, visits count less and less.
        bool isVain = _evicted == _evictedBefore;
        _vainPasses = isVain ? _vainPasses + 1 : 0;
        _vainRecords = isVain ? _vainRecords : 0;
        _evictedBefore = _evicted;
        _strictness = int.Min(_vainPasses / CacheLimits.PassesBeforeStricter, _vainRecords / CacheLimits.RecordsBeforeStricter);
        MemoryBudget budget = cache.Core.Budget;
        _largeBytes = -long.Max(budget.LimitBytes / CacheLimits.LargePassFraction, budget.UsedBytes - budget.LimitBytes);
        cache.Ghosts.Fit(cache.Records);

        // The few entries of the lowest priority may all stand where nothing can be evicted, in open or pinned segments: then the next
        // one's turn comes.
        bool isProbation = IsProbationOver();
        for (_priority = lowest; _priority < (int)PileCachePriority.NeverRemove; _priority++)
        {
            Segment? victim = Oldest(isProbation, roomBytes, out int liveBytes);
            if (victim is null && !isProbation && cache.Core.Cleaner.TrySealSurvivors())
            {
                // The records of many large values have room in the segment that survivors are being moved to.
                victim = Oldest(isProbation, roomBytes, out liveBytes);
            }

            victim ??= Oldest(!isProbation, roomBytes, out liveBytes);
            if (victim is not null)
            {
                _ = victims.TryAppend(victim, liveBytes);
                return;
            }

            if (!goesOn && IsMuchElsewhere())
            {
                victim = isProbation && cache.Core.Cleaner.TrySealSurvivors() ? Oldest(isProbation: false, roomBytes, out liveBytes) : null;
                if (victim is null || !victims.TryAppend(victim, liveBytes))
                {
                    IsHeldBack = true;
                }

                return;
            }
        }
    }

    /// <summary>Whether the last pass offered nothing of a higher priority, because much of the lowest stands in open segments or such as wait for a flush: large values
    /// above all, whose records are small. They go by hand, or when these are sealed and flushed. Set to false, when none of it happened: then the next pass offers what there is.</summary>
    internal bool IsHeldBack
    {
        get;
        set
        {
            field = value;
            Volatile.Write(ref _goesOn, !value);
        }
    }

    /// <summary>Whether passes that evicted nothing may yet be followed by one that does: not every segment has been met since the last
    /// that did.</summary>
    internal bool IsSearching => _vainPasses <= _directory.Count + (CacheLimits.RecordsBeforeStricter * (CellWord.VisitsMax + 1));

    /// <summary>Decides about an entry that has not ended.</summary>
    /// <param name="table">Its table.</param>
    /// <param name="cell">Its cell.</param>
    /// <param name="isMainSegment">Whether it stands among survivors.</param>
    /// <param name="kept">The cell as it is to be, when it stays.</param>
    /// <param name="leavesGhost">Whether it is to be remembered, when it goes.</param>
    /// <returns>False when it is to go.</returns>
    internal bool Keeps(TableCore<TFormat> table, ulong cell, bool isMainSegment, out ulong kept, out bool leavesGhost)
    {
        kept = cell;
        leavesGhost = false;
        if (!table.IsSpeculative || table.IsProtected || CellWord.Priority(cell) > _priority)
        {
            return true;
        }

        _vainRecords++;

        int visits = int.Max(0, CellWord.Visits(cell) - _strictness);
        bool isMain = CellWord.IsMain(cell);
        if (isMain && !isMainSegment && _strictness == 0)
        {
            return true;
        }

        if (!isMain && visits >= CacheLimits.VisitsToStay)
        {
            kept = CellWord.WithVisits(cell, 0) | CellWord.MainBit;
            return true;
        }

        if (isMain && visits > 0)
        {
            kept = CellWord.WithVisits(cell, visits - 1);
            return true;
        }

        leavesGhost = !isMain;
        Volatile.Write(ref _evicted, _evicted + 1);
        return false;
    }

    /// <summary>Whether the pass has let go of enough. The entries of many large values stand in one segment: a pass that has freed a good part of
    /// the cache, or as much as it holds beyond its limit, leaves the rest of the segment to the next, where it stands.</summary>
    internal bool HasEnough => _largeBytes >= 0;

    /// <summary>Notes the bytes of a large value whose entry the pass has let go.</summary>
    internal void NoteLarge(long bytes) => _largeBytes += bytes;

    /// <summary>Evicts entries with large values by hand, those of the lowest priority first. Called without any lock.</summary>
    /// <param name="bytes">Bytes of such values that are to go.</param>
    /// <param name="onlyLowest">Whether those of the priority that the last pass was held back for are meant, and no higher ones.</param>
    /// <returns>Whether any went.</returns>
    internal bool TryEvictLarge(long bytes, bool onlyLowest)
    {
        int priorities = onlyLowest ? int.Min(_priority + 1, (int)PileCachePriority.NeverRemove) : (int)PileCachePriority.NeverRemove;
        long gone = 0;
        bool any = false;
        int evicted = 0;
        for (int priority = 0; priority < priorities && gone < bytes; priority++)
        {
            foreach (TableCore<TFormat>? table in cache.Tables)
            {
                while (gone < bytes && table is { IsSpeculative: true } && !IsWithinMinimum(table) && table.Evictor.TryEvictLarge(priority, ref evicted, out long one))
                {
                    gone += one;
                    any = true;
                }
            }
        }

        _ = Interlocked.Add(ref _evictedByHand, evicted);
        return any;
    }

    private static bool IsWithinMinimum(TableCore<TFormat> table) => table.Options.MinimumBytes > 0 && table.Counts.Bytes <= table.Options.MinimumBytes;

    /// <summary>Whether the small queue has more than its part, in bytes: of records, and of the pages of large values, which are in the queue of their entry. How many bytes
    /// of these were stored is noted by segment, and goes with its records; what is not in the small queue is in the main one.</summary>
    private bool IsProbationOver()
    {
        long probation = 0;
        long main = 0;
        double large = 0;
        for (int index = 0; index < _directory.Count; index++)
        {
            Segment segment = _directory[index];
            if (segment.State is SegmentState.Sealed && cache.Facts.HasEvictable(segment))
            {
                int live = segment.WrittenBytes - cache.Core.Writers.DeadOf(index);
                probation += segment.HoldsSurvivors ? 0 : live;
                main += segment.HoldsSurvivors ? live : 0;
                large += segment.HoldsSurvivors ? 0 : cache.Facts.LargeBytesOf(segment) * (double)live / segment.WrittenBytes;
            }
        }

        long entries = 0;
        foreach (TableCore<TFormat>? table in cache.Tables)
        {
            // Of durable tables nothing is in a queue, nor are segments above that have nothing else.
            entries += table is { IsSpeculative: true } ? table.Counts.Bytes : 0;
        }

        long largeBytes = long.Max(0, long.Min(cache.Core.Large.UsedBytes, entries - probation - main));
        long largeProbation = long.Min(largeBytes, (long)large);
        return (probation + largeProbation) * 10 >= (probation + main + largeBytes) * CacheLimits.ProbationTenths;
    }

    /// <summary>Whether entries of the priority whose turn it is are a good part of the cache and stand where none can be evicted yet, in open segments or such as wait
    /// for a flush, while there are others of a higher one, which they are to go before.</summary>
    private bool IsMuchElsewhere()
    {
        double bytes = 0;
        bool isLowest = false;
        foreach (TableCore<TFormat>? table in cache.Tables)
        {
            if (table is { IsSpeculative: true, IsProtected: false })
            {
                bytes += table.Counts.Bytes * (double)table.Counts.EntriesOf(_priority) / long.Max(1, table.Counts.Entries);
                for (int higher = _priority + 1; higher < (int)PileCachePriority.NeverRemove; higher++)
                {
                    isLowest |= table.Counts.EntriesOf(higher) > 0;
                }
            }
        }

        bool isMuch = isLowest && bytes * CacheLimits.LargePassFraction > cache.Core.Budget.LimitBytes;
        for (int index = 0; isMuch && index < _directory.Count; index++)
        {
            Segment segment = _directory[index];
            if ((segment.State == SegmentState.Open || cache.Core.Cleaner.IsUnflushed(segment)) && cache.Facts.Has(segment, _priority))
            {
                return true;
            }
        }

        return false;
    }

    private Segment? Oldest(bool isProbation, long roomBytes, out int liveBytes)
    {
        Segment? oldest = null;
        liveBytes = 0;
        for (int index = 0; index < _directory.Count; index++)
        {
            Segment segment = _directory[index];
            if (segment.HoldsSurvivors == isProbation || (oldest is not null && segment.Sequence > oldest.Sequence) || !cache.Facts.Has(segment, _priority))
            {
                continue;
            }

            int live = segment.WrittenBytes - cache.Core.Writers.DeadOf(index);
            if (live <= roomBytes && cache.Core.Cleaner.MayClean(segment))
            {
                (oldest, liveBytes) = (segment, live);
            }
        }

        return oldest;
    }
}
