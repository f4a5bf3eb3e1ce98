// What a repair counts of the entries that are left, by table and by segment.
// Not thread-safe: each thread has its own, and they are added up.
using System.Collections.Generic;
using Pile.Cache.Entries;
using Pile.Cache.Eviction;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>Counts of entries.</summary>
/// <param name="segments">How many segments there are.</param>
internal sealed class RepairCounts(int segments)
{
    private readonly SegmentFact[] _segments = new SegmentFact[segments];

    /// <summary>Entries by priority.</summary>
    internal long[] Entries { get; } = new long[(int)PileCachePriority.NeverRemove + 1];

    /// <summary>Bytes of their records, and of what these own.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Chains that somebody was changing when they were killed.</summary>
    internal long Unlocked { get; set; }

    /// <summary>Cells that led to no entry of the table.</summary>
    internal long Dropped { get; set; }

    /// <summary>Objects that entries own.</summary>
    internal HashSet<ulong> Owned { get; } = [];

    /// <summary>How many entries lead to each object that is shared.</summary>
    internal PointerCounts Shared { get; } = new();

    /// <summary>The segments in which something lives.</summary>
    internal IEnumerable<SegmentFact> Segments
    {
        get
        {
            foreach (SegmentFact fact in _segments)
            {
                if (fact.LiveBytes > 0)
                {
                    yield return fact;
                }
            }
        }
    }

    /// <summary>Counts an entry.</summary>
    internal void Take(Segment segment, int recordBytes, long endTicks, int priority, bool isNoted, LinkedValue linked)
    {
        Entries[priority]++;
        Bytes += recordBytes + (long)linked.Bytes;
        Merge(new SegmentFact(segment.Index, segment.Sequence, recordBytes, endTicks, (1 << priority) | (isNoted ? SegmentFacts.NotedBit : 0), HoldsSurvivors: false));
        if (linked.IsShared)
        {
            Shared.Add(linked.Pointer, 1);
        }
        else if (linked.Pointer != 0)
        {
            _ = Owned.Add(linked.Pointer);
        }
    }

    /// <summary>Adds what another thread counted.</summary>
    internal void Add(RepairCounts other)
    {
        for (int priority = 0; priority < Entries.Length; priority++)
        {
            Entries[priority] += other.Entries[priority];
        }

        Bytes += other.Bytes;
        Unlocked += other.Unlocked;
        Dropped += other.Dropped;
        Owned.UnionWith(other.Owned);
        Shared.Add(other.Shared);
        foreach (SegmentFact fact in other.Segments)
        {
            Merge(fact);
        }
    }

    private void Merge(SegmentFact fact)
    {
        ref SegmentFact known = ref _segments[fact.Index];
        known = known.LiveBytes == 0
            ? fact
            : known with { LiveBytes = known.LiveBytes + fact.LiveBytes, EndTicks = long.Min(known.EndTicks, fact.EndTicks), Priorities = known.Priorities | fact.Priorities };
    }
}
