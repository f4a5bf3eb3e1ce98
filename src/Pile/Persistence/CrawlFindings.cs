// What a crawl's walks come upon besides records: the newest marker, and damage. Any order of the walks gives the same.
// Damages are bounded: the first by their place are kept, and the others counted.
using System;
using System.Threading;
using Pile.Format;
using Pile.Primitives;

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
    internal FirstFew<CrawlDamage> Damages { get; } = new(FileLimits.DamagesListedMax, static (one, other) => (one.Segment, one.Offset).CompareTo((other.Segment, other.Offset)));

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
    }

    internal void Note(CrawlDamage damage)
    {
        lock (_gate)
        {
            Damages.Add(damage);
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
