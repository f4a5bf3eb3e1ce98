// What the segments of a pile were when it was last written, from rows and headers: two places, because a segment's bytes count
// for nothing without its sequence number. The greater sequence holds (S3 stores both before the first byte is overwritten).
using System;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>Reads rows and headers of all segments.</summary>
internal static class SegmentStates
{
    /// <summary>Puts the segments of an open directory into the pile's directory, with their sequences and stored states.</summary>
    /// <param name="files">The directory.</param>
    /// <param name="extents">Flat space, empty but for its first extent.</param>
    /// <param name="directory">The pile's segments, none yet.</param>
    /// <param name="large">The pile's large objects, none yet.</param>
    /// <param name="damages">Gets what is wrong.</param>
    /// <returns>What each segment was, by its index.</returns>
    internal static List<StoredSegment> Restore(
        PileDirectory files, ExtentMap extents, SegmentDirectory directory, LargeRuns large, FirstFew<PileDamageReport> damages)
    {
        List<StoredSegment> stored = [];
        (ulong identity, long firstCounting) = (files.Meta.Identity, files.Meta.FirstCountingSequence);
        for (int index = 0; index < files.Extents.Count; index++)
        {
            ExtentFile file = files.Extents[index];
            int shift = file.Header.Kind == ExtentKind.Segments
                ? System.Numerics.BitOperations.Log2((uint)file.Header.SegmentBytes) - 3
                : Limits.ExtentShiftWords;
            int row = extents.TryMap(file.Header.Rows, directory.Count, shift, out Region region);
            Check.That(row == file.Header.FirstRow);
            if (file.Header.Kind == ExtentKind.Large)
            {
                large.RestoreExtent(row, region);
                continue;
            }

            int first = directory.Count;
            directory.Restore(row, region, file.Header.SegmentBytes, file.Header.Segments);
            for (int segment = first; segment < directory.Count; segment++)
            {
                StoredSegment read = Read(identity, directory[segment], file, segment - first, damages);
                stored.Add(read with { IsCleared = read.Segment.Sequence < firstCounting });
            }
        }

        return stored;
    }

    private static StoredSegment Read(
        ulong identity, Segment segment, ExtentFile file, int row, FirstFew<PileDamageReport> damages)
    {
        ulong word = file.ReadRow(row);
        bool isRow = SegmentRow.TryParse(word, identity, segment.Location, out SegmentRow parsed);
        if (isRow && parsed.State == SegmentRowState.Absent)
        {
            return new StoredSegment(segment, SegmentRowState.Absent, 0);
        }

        // By a call: a look at the mapping would cost a fault for each segment.
        Span<byte> header = stackalloc byte[SegmentHeader.Bytes];
        file.Read(segment.RegionOffset, header);
        bool isHeader = SegmentHeader.TryRead(
            header, identity, segment.Location, out long sequence, out int cutBytes, out string? problem);
        if (!isRow && !isHeader)
        {
            damages.Add(new PileDamageReport(file.Path, $"segment {segment.Index}: neither its row nor its header can be read ({problem}); what it held is lost"));
            return new StoredSegment(segment, SegmentRowState.Quarantined, 0);
        }

        SegmentRowState state = isRow && parsed.Sequence >= sequence ? parsed.State : SegmentRowState.Open;
        segment.Restore(long.Max(parsed.Sequence, sequence), SegmentState.Sealed);
        if (!isRow)
        {
            damages.Add(new PileDamageReport(file.Path, $"segment {segment.Index}: its row is damaged; its header was used"));
        }

        // A cut holds as long as the segment's sequence, whatever became of its state: one that was retired later ends there as well.
        bool isCut = isHeader && cutBytes >= SegmentHeader.Bytes && (!isRow || sequence == parsed.Sequence);
        segment.Restore(segment.Sequence, segment.State, isCut);
        bool isEndLost = state == SegmentRowState.RetiredCut && !isCut;
        state = state == SegmentRowState.Cut && !isCut ? SegmentRowState.Open : state == SegmentRowState.RetiredCut ? SegmentRowState.Retired : state;
        return new StoredSegment(segment, state, isCut ? int.Min(cutBytes, segment.Bytes) : segment.Bytes, IsEndLost: isEndLost);
    }
}
