// Writes again what an open has found after a failed sync (C2): the system may hold pages that never reached the device and count them
// as written, so that no later sync would write them. Written over with the same bytes they are as good as new to it.
// It syncs nothing: the sync of the recovery covers it. The table is not concerned, which such an open builds anew in a file of its own.
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Memory;
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
    private readonly FlatSpace _space = core.Directory.Space;

    /// <summary>Writes headers, rows, all that is written in segments, and the runs of large objects.</summary>
    /// <param name="segments">The segments, each written as far as it counts.</param>
    /// <param name="cancellationToken">Ends it; the next open begins it anew.</param>
    internal void Run(IReadOnlyList<StoredSegment> segments, CancellationToken cancellationToken)
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
            Write(segment.Location, stored.State == SegmentRowState.Absent ? 0 : isWhole ? segment.Bytes : segment.WrittenBytes, cancellationToken);
        }

        // By their places, each page once: descriptors may have been made to name the same pages.
        List<(long First, long End)> runs = ListRuns(cancellationToken);
        runs.Sort();
        long written = 0;
        foreach ((long first, long end) in runs)
        {
            long from = long.Max(first, written);
            Write(from, (end - from) * Limits.WordBytes, cancellationToken);
            written = long.Max(written, end);
        }
    }

    /// <summary>Where the pages of large objects begin and end, as far as a damaged descriptor does not lead anywhere else.</summary>
    private List<(long First, long End)> ListRuns(CancellationToken cancellationToken)
    {
        List<(long, long)> runs = [];
        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            if (slot % FileLimits.TablePieceSlots == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }

            ulong entry = core.Table.Read(slot);
            long location = EntryWord.Location(entry);
            if (EntryWord.IsLive(entry) && core.Extents.Contains(location, DurableRecord.HeaderBytes + LargeDescriptor.Bytes)
                && LogRecord.Read(_space, location).TryReadRun(_space, out LargeDescriptor run) && core.Extents.ContainsRun(run.RunLocation, run.PayloadBytes))
            {
                runs.Add((run.RunLocation, run.RunLocation + (LargeRuns.RunBytes(run.PayloadBytes) / Limits.WordBytes)));
            }
        }

        return runs;
    }

    private void Write(long location, long bytes, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        foreach (ExtentFile file in bytes > 0 ? files : [])
        {
            long offset = (location - file.FirstLocation) * Limits.WordBytes;
            if (offset >= 0 && offset + bytes <= file.Header.DataBytes)
            {
                file.WriteAgain(offset, bytes, _piece);
            }
        }
    }
}
