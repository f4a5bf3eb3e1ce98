// Which retired segments were being used again when the power was cut (S1): they are not whole, and nothing in them counts, because all that
// had been copied out of them was durable before. A segment that is damaged is not whole either; what tells the two apart is a record in it
// that the log has nothing as new of (S2). It walks no records into the table; the crawl does.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>The retired segments of one crawl.</summary>
/// <param name="space">Flat space.</param>
/// <param name="builder">Has what counts, once all is walked.</param>
/// <param name="identity">The pile's identity.</param>
/// <param name="segments">What each segment was, by its index.</param>
/// <param name="isReusedAfterCopies">Whether each copy that was made of a segment's records is there when the first of its bytes is overwritten.</param>
internal sealed class OverwrittenSegments(FlatSpace space, TableBuilder builder, ulong identity, IReadOnlyList<StoredSegment> segments, bool isReusedAfterCopies)
{
    private readonly bool[] _isDamaged = new bool[segments.Count];

    /// <summary>By segment, whether nothing in it counts.</summary>
    internal bool[] Overwritten { get; } = new bool[segments.Count];

    /// <summary>Whether a retired segment counts in spite of not being whole.</summary>
    internal bool IsDamaged(int index) => _isDamaged[index];

    /// <summary>Finds those of which nothing counts.</summary>
    /// <param name="cores">Who looks.</param>
    /// <param name="isBroken">Whether a retired segment is not whole.</param>
    /// <param name="cancellationToken">Ends it.</param>
    internal void Find(AllCores cores, Func<int, bool> isBroken, CancellationToken cancellationToken)
    {
        // Few are retired; most often none.
        List<int> retired = [];
        for (int index = 0; index < segments.Count; index++)
        {
            if (segments[index] is { State: SegmentRowState.Retired, Counts: true })
            {
                retired.Add(index);
            }
        }

        cores.Run(retired.Count, piece =>
        {
            cancellationToken.ThrowIfCancellationRequested();
            int index = retired[piece];
            Overwritten[index] = !_isDamaged[index] && isBroken(index);
        });
    }

    /// <summary>Finds those that are damaged and not overwritten: a copy of what they hold is missing. When all is walked.</summary>
    /// <param name="limits">Bytes of each segment that may hold records.</param>
    /// <param name="isOfLog">Whether the log alone was asked, and not a checkpoint, which may be damaged too: then they count from now on.</param>
    /// <returns>Whether there was one: then all is to be walked again.</returns>
    internal bool TryKeepDamaged(int[] limits, bool isOfLog)
    {
        bool isFound = false;
        for (int index = 0; isReusedAfterCopies && index < segments.Count; index++)
        {
            if (Overwritten[index] && !segments[index].IsEndLost && HoldsNewer(index, limits[index]))
            {
                isFound = true;
                _isDamaged[index] = isOfLog;
            }
        }

        return isFound;
    }

    /// <summary>Whether a record in a segment is newer than what its slot has. A bad payload says as much as a good one: the header was written, and is its own.</summary>
    private bool HoldsNewer(int index, int limit)
    {
        var walk = new SegmentWalk<DurableRecord>(space, segments[index].Segment, limit, identity);
        do
        {
            while (walk.TryNext(out long location, out _, out _))
            {
                var record = LogRecord.Read(space, location);
                if (record.HasSlot && builder.Misses(record))
                {
                    return true;
                }
            }

            if (walk.IsBad)
            {
                DamagedStretch.Skip(space, ref walk, limit);
            }
        }
        while (limit - walk.Offset >= DurableRecord.HeaderBytes);
        return false;
    }
}
