// What is chosen about making room: when a segment is worth moving, how much may be resident for what lives, who waits how long
// for readers and flushes, and what the keeper does by itself. Each with its reason.
namespace Pile.Primitives;

/// <summary>Named limits of cleaning, eviction and giving back.</summary>
internal static class RoomLimits
{
    /// <summary>Segments that only the cleaner may take, so that it can always move survivors before it frees anything.</summary>
    internal const int CleanerReserveSegments = 3;

    /// <summary>Victims of one pass at the most: bounds the time a helping writer spends for others.</summary>
    internal const int CleanerVictimsMax = 8;

    /// <summary>Records whose entries the cleaner prefetches before it looks at the first of them.</summary>
    internal const int CleanerLookahead = 32;

    /// <summary>A segment fuller than this is not worth moving; above it in total, Put answers Full.</summary>
    internal const double UtilisationMax = 0.95;

    /// <summary>For a deletion that finds no room in the log a segment that is nearly full is worth moving too: so the time of one is bounded, and so is a pile
    /// from which nothing could be deleted any more.</summary>
    internal const double DeletingUtilisationMax = 0.998;

    /// <summary>Where records may be evicted instead, a segment fuller than this is not worth moving: four bytes copied for one gained
    /// cost more than the entries are worth.</summary>
    internal const double EvictingUtilisationMax = 0.80;

    /// <summary>Compact, asked for by the caller, moves segments that are nearly full too.</summary>
    internal const double CompactUtilisationMax = 0.99;

    /// <summary>Smallest ratio of resident to live segment bytes that may be asked for: below, cleaning never ends.</summary>
    internal const double UsedOverLiveMin = 1.05;

    /// <summary>Largest ratio that may be asked for: above, the cleaner is as good as off.</summary>
    internal const double UsedOverLiveMax = 16;

    /// <summary>Ratio of segment to live bytes below which no writer is made to clean, however much the table has too much.</summary>
    internal const double UsedOverLiveAffordable = 1.06;

    /// <summary>Ratio of segment to live bytes to which the keeper cleans, while something is written, to make up for a table that has too much: ten bytes are moved
    /// for one gained.</summary>
    internal const double UsedOverLiveHeld = 1.11;

    /// <summary>Default ratio of resident to live bytes: memory within a fifth of what lives, at about three bytes moved a byte written.</summary>
    internal const double UsedOverLiveDefault = 1.20;

    /// <summary>Ratio to which the background thread compacts when nothing is being written.</summary>
    internal const double UsedOverLiveIdle = 1.04;

    /// <summary>Flushes that one Compact asks for, where reuse waits for flushes: two free what it copied, a few more what was behind.</summary>
    internal const int CompactFlushesMax = 8;

    /// <summary>Free segments kept for writers beyond one each, before memory goes back to the OS.</summary>
    internal const int FreeSegmentsKept = 2;

    /// <summary>A growing pile has the next segment made ready when this part of a writer's is left.</summary>
    internal const int SegmentEndFraction = 4;

    /// <summary>A call waits this long for readers that hold back reclamation before it answers Full.</summary>
    internal const int ReclaimWaitMs = 2000;

    /// <summary>The same for a flush that frees memory: it comes to an end by itself, however slow the device.</summary>
    internal const int FlushWaitMs = 10_000;

    /// <summary>A writer without room for a large object lets at least this part of the limit go at once: where it waits for a flush then, the next few
    /// writers need not.</summary>
    internal const int LargeEvictedFraction = 64;

    /// <summary>The part of a cache's limit that is evicted ahead of its writers at the most, where they would wait for flushes otherwise.</summary>
    internal const int FlushLeadFraction = 32;

    /// <summary>The part by which that shrinks with each flush for which no writer had to wait.</summary>
    internal const int FlushLeadDecay = 32;

    /// <summary>The part of a cache's limit that waits for a flush, evicted, when its writers evict no more but wait for it.</summary>
    internal const int AwaitedFraction = 16;

    /// <summary>A writer without room waits this long for readers before it grows the pile beyond its ratio.</summary>
    internal const int ReadersWaitMs = 2;

    /// <summary>A call that finds budget this often and still no room lacks something else, and goes on as one that lacks all.</summary>
    internal const int BudgetTriesMax = 16;

    /// <summary>Passes without more room than before after which a caller stops cleaning: the segments are as full as they get.</summary>
    internal const int VainPassesMax = 8;

    /// <summary>The background thread looks around this often while there is something to settle.</summary>
    internal const int KeeperTickMs = 50;

    /// <summary>When nothing is left to settle it looks around this often: deletions alone wake nobody.</summary>
    internal const int KeeperIdleTickMs = 500;

    /// <summary>A pile that has taken fewer segments than this has no background thread, unless there is something that only it does.</summary>
    internal const int KeeperStartsAtTakes = 4;

    /// <summary>Ticks without a roll after which memory beyond the reserve goes back to the OS (a refill right after
    /// Clear should find its memory still there).</summary>
    internal const int KeeperQuietTicks = 60;

    /// <summary>Time over the ratio after which free segments go back to the OS although writing goes on. Who deletes and then puts as much
    /// should find its memory still there: what went back comes again a page fault at a time.</summary>
    internal const int KeeperOverMs = 5000;

    /// <summary>Segments the background thread compacts or gives back per tick when idle: a bounded share of one core.</summary>
    internal const int KeeperSegmentsPerTick = 16;

    /// <summary>Bytes of replaced large objects that gather before they are reclaimed, where the limit is not small.</summary>
    internal const int LargeRetiredBytesMax = 4 << 20;

    /// <summary>Freed pages of large objects kept resident, however small the limit: whoever lacks memory takes them.</summary>
    internal const int LargeFreeBytesMin = 1 << 20;

    /// <summary>Replaced large objects may wait for readers up to this fraction of the limit without anyone's waiting with them.</summary>
    internal const int LargeRetiredFraction = 64;

    /// <summary>Bytes of replaced large objects that may wait for readers, however small the limit, before a writer waits with them, for
    /// <see cref="ReadersWaitMs"/> at a time: readers that were preempted need a turn, and a writer fills memory fast.</summary>
    internal const int LargeRetiredBytesPatient = 8 << 20;

    /// <summary>Freed pages of large objects kept resident, as a fraction of what large objects hold.</summary>
    internal const int LargeReserveFraction = 16;

    /// <summary>Pages that flushes free together are kept for the updates until the next one, up to this fraction of the limit.</summary>
    internal const int LargeFreedFraction = 8;
}
