// The proof of a flush: a marker in the log, which the next flush makes durable, that says up to where all segments were durable by then. A recovery
// believes what it covers without looking at each record's sum for the end of the log.
using System;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Writes the markers.</summary>
internal static class FlushProof
{
    /// <summary>Appends it, for the flush that begins to make durable. Without room the one before stands.</summary>
    /// <param name="core">The heap.</param>
    /// <param name="provenFlush">The last flush that completed.</param>
    /// <param name="lengths">The open segments as it began.</param>
    internal static void Append(HeapCore<DurableRecord> core, long provenFlush, OpenSegment[] lengths)
    {
        Span<byte> payload = stackalloc byte[FileLimits.MarkerBytesMax];
        int bytes = MarkerPayload.BytesOf(lengths.Length);
        if (lengths is not [.., { Sequence: > 0 }] || bytes > payload.Length || provenFlush < 1)
        {
            return;
        }

        MarkerPayload.Write(payload[..bytes], provenFlush, lengths);
        EpochLine line = EpochLine.Current;
        long held = line.Enter(core.Epochs.WriteWord);
        SegmentWriter<DurableRecord>? writer = null;
        try
        {
            writer = core.IsDisposed ? null : core.Writers.HoldAnyhow(line);
            int recordBytes = SegmentWriter<DurableRecord>.RecordBytes(bytes);
            if (writer is not null && writer.EnsureSpace(recordBytes, overRatio: true))
            {
                writer.CountDead(writer.Append(slot: 0, RecordCode.Marker, new BytesPayload(payload[..bytes]), default), recordBytes);
            }
        }
        finally
        {
            writer?.Release();
            line.Leave(held);
        }
    }
}
