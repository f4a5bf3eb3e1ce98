// What a crawl's walks come upon besides records: the newest marker, damage, descriptors without their pages. Any order of the walks
// gives the same, but for the order of the lists.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Format;

namespace Pile.Persistence;

/// <summary>Findings of one crawl. The members that note are thread-safe; the others are for when nobody walks.</summary>
internal sealed class CrawlFindings
{
    private readonly Lock _gate = new();

    /// <summary>The newest flush that is proven; -1 for none.</summary>
    internal long ProvenFlush { get; private set; } = -1;

    /// <summary>What it proves.</summary>
    internal OpenSegment[] Proven { get; private set; } = [];

    /// <summary>What is damaged below what was proven.</summary>
    internal List<CrawlDamage> Damages { get; } = [];

    /// <summary>Descriptors whose pages are not what they say.</summary>
    internal List<MissingRun> MissingRuns { get; } = [];

    /// <summary>Bytes of a segment that the newest marker proves (C1): as listed; whole, when sealed before that flush began.</summary>
    internal int ProvenBytes(StoredSegment stored)
    {
        long sequence = stored.Segment.Sequence;
        for (int index = 0; index < Proven.Length - 1; index++)
        {
            if (Proven[index].Sequence == sequence)
            {
                return Proven[index].WrittenBytes;
            }
        }

        return Proven.Length > 0 && sequence <= Proven[^1].Sequence ? stored.EndBytes : 0;
    }

    /// <summary>Begins with a proof from elsewhere.</summary>
    internal void Begin(long flush, OpenSegment[] proven) => (ProvenFlush, Proven) = (flush, proven);

    /// <summary>Forgets all.</summary>
    internal void Clear()
    {
        Begin(-1, []);
        Damages.Clear();
        MissingRuns.Clear();
    }

    internal void Note(CrawlDamage damage)
    {
        lock (_gate)
        {
            Damages.Add(damage);
        }
    }

    internal void NoteMissing(MissingRun run)
    {
        lock (_gate)
        {
            MissingRuns.Add(run);
        }
    }

    internal void NoteMarker(ReadOnlySpan<byte> payload)
    {
        if (MarkerPayload.TryRead(payload, out long flush, out OpenSegment[]? segments, out _))
        {
            lock (_gate)
            {
                if (flush > ProvenFlush)
                {
                    Begin(flush, segments);
                }
            }
        }
    }
}
