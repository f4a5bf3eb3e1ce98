// How far ahead of the writers entries are evicted where a segment is used again only after a flush: as far as it takes for writers not to
// wait, and no further, since what is free or waits to be caches nothing. One segment is enough for a flush that is as fast as the writers.
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>The lead of eviction over the writers of one pile. Called by one thread at a time.</summary>
internal sealed class FlushLead(FlushClock flushes)
{
    private long _flushSeen;
    private long _waitsSeen;

    /// <summary>Bytes that shall be free or wait for a flush, beyond what the cleaner holds.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Looks, once for each flush, whether writers had to wait since the last: then the lead doubles, else it shrinks slowly.</summary>
    /// <param name="waits">Calls so far that found no room.</param>
    /// <param name="segmentBytes">What a lead begins with.</param>
    /// <param name="limitBytes">The pile's limit, of which it is a small part at the most.</param>
    internal void Look(long waits, int segmentBytes, long limitBytes)
    {
        long completed = flushes.Completed;
        if (!flushes.IsWaitedFor || completed == _flushSeen)
        {
            return;
        }

        long wanted = waits != _waitsSeen ? long.Max(Bytes * 2, segmentBytes) : Bytes - (Bytes / RoomLimits.FlushLeadDecay);
        Bytes = long.Min(wanted, limitBytes / RoomLimits.FlushLeadFraction);
        (_flushSeen, _waitsSeen) = (completed, waits);
    }
}
