// Writes again what an open has found after a failed sync (C2): the system may hold pages that never reached the device and count them
// as written, so that no later sync would write them. Written over with the same bytes they are as good as new to it.
// It syncs nothing: the sync of the recovery covers it. The table is not concerned, which such an open builds anew in a file of its own.
using System.Collections.Generic;
using Pile.Format;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Rewriting of all that counts in the extents. Nobody else may store there meanwhile.</summary>
/// <param name="core">The heap, its segments cut and its table built.</param>
/// <param name="files">The extent files.</param>
internal sealed class WrittenAgain(HeapCore<DurableRecord> core, IReadOnlyList<ExtentFile> files)
{
    // As much as a call is worth, and no more memory than an open has to spare.
    private const int PieceBytes = 1 << 20;

    private readonly byte[] _piece = new byte[PieceBytes];

    /// <summary>Writes headers, rows, all that is written in segments, and the runs of large objects.</summary>
    /// <param name="segments">The segments, each written as far as it counts.</param>
    internal void Run(IReadOnlyList<StoredSegment> segments)
    {
        foreach (ExtentFile file in files)
        {
            file.WriteAgain(-ExtentHeader.ExtentPrefixBytes, ExtentHeader.ExtentPrefixBytes, _piece);
        }

        foreach (StoredSegment stored in segments)
        {
            // Of one in quarantine nobody knows how far it is written.
            Segment segment = stored.Segment;
            bool isWhole = stored.State == SegmentRowState.Quarantined;
            Write(segment.Location, stored.State == SegmentRowState.Absent ? 0 : isWhole ? segment.Bytes : segment.WrittenBytes);
        }

        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            if (EntryWord.IsLive(entry))
            {
                WriteRunOf(EntryWord.Location(entry));
            }
        }
    }

    private void WriteRunOf(long location)
    {
        if (core.Extents.Contains(location, DurableRecord.HeaderBytes + LargeDescriptor.Bytes)
            && RecordWord.Code(core.Directory.Space.ReadWord(location)) == RecordCode.Large)
        {
            LargeDescriptor run = LargeDescriptor.Read(core.Directory.Space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
            Write(run.RunLocation, run.PayloadBytes);
        }
    }

    private void Write(long location, long bytes)
    {
        // A damaged descriptor may lead anywhere, over the end of everything too.
        foreach (ExtentFile file in core.Extents.Contains(location, bytes) ? files : [])
        {
            long offset = (location - file.FirstLocation) * Limits.WordBytes;
            if (offset >= 0 && offset + bytes <= file.Header.DataBytes)
            {
                file.WriteAgain(offset, bytes, _piece);
            }
        }
    }
}
