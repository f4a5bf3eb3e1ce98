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

    private (long Flush, OpenSegment[] Lengths) _begun = (-1, []);
    private (long Flush, OpenSegment[] Lengths) _marked = (-1, []);

    /// <summary>The newest flush that is proven; -1 for none.</summary>
    internal long ProvenFlush => long.Max(_begun.Flush, _marked.Flush);

    /// <summary>What is damaged below what was proven.</summary>
    internal List<CrawlDamage> Damages { get; } = [];

    /// <summary>Descriptors whose pages are not what they say.</summary>
    internal List<MissingRun> MissingRuns { get; } = [];

    /// <summary>Bytes of a segment that are proven (C1). A checkpoint says how far its copy began, and is of a later flush than a marker that was written
    /// beside the copy and says more: both hold.</summary>
    internal int ProvenBytes(StoredSegment stored) => int.Max(ProvenBytes(stored, _begun.Lengths), ProvenBytes(stored, _marked.Lengths));

    /// <summary>Begins with a checkpoint's proof.</summary>
    internal void Begin(long flush, OpenSegment[] proven) => _begun = (flush, proven);

    /// <summary>Forgets all.</summary>
    internal void Clear()
    {
        Begin(-1, []);
        _marked = (-1, []);
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
                if (flush > _marked.Flush)
                {
                    _marked = (flush, segments);
                }
            }
        }
    }

    /// <summary>As listed; whole, when sealed before that flush began.</summary>
    private static int ProvenBytes(StoredSegment stored, OpenSegment[] lengths)
    {
        long sequence = stored.Segment.Sequence;
        for (int index = 0; index < lengths.Length - 1; index++)
        {
            if (lengths[index].Sequence == sequence)
            {
                return lengths[index].WrittenBytes;
            }
        }

        return lengths.Length > 0 && sequence <= lengths[^1].Sequence ? stored.EndBytes : 0;
    }
}
