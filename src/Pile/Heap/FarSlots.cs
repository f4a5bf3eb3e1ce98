// How far a slot may be. Each slot in use has a record in the log, none of which is shorter than a header, and extents never go; slots that were issued
// and have no record are those that writers and batches held (ImportGapSlotsMax). A record of a slot beyond both says what can't be: it is damage, and
// not a reason to make a table of any length. docs/decisions/0061.
using System.Collections.Generic;
using Pile.Format;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>The bound of slots of a pile in files.</summary>
internal static class FarSlots
{
    /// <summary>One above the greatest slot that a record of a pile can have.</summary>
    /// <param name="extents">The pile's extents, in their order.</param>
    internal static uint EndOf(IReadOnlyList<ExtentFile> extents)
    {
        long rows = extents.Count == 0 ? 0 : extents[^1].Header.FirstRow + extents[^1].Header.Rows;
        return (uint)long.Min(uint.MaxValue, (rows * (Limits.ExtentBytes / DurableRecord.HeaderBytes)) + FileLimits.ImportGapSlotsMax);
    }

    /// <summary>Refuses generation floors for slots that can't be.</summary>
    /// <exception cref="PileCorruptedException">They are for such; nothing was changed.</exception>
    internal static void Refuse(GenerationFloors? floors, PileDirectory directory)
    {
        if (floors is not null && floors.HighWater > EndOf(directory.Extents))
        {
            throw new PileCorruptedException(
                $"'{directory.FullPath}': its floors file is for {floors.HighWater:N0} slots, and files of this size can hold no more than {EndOf(directory.Extents):N0}. Nothing was changed. Restore a backup.",
                path: directory.FullPath);
        }
    }

    /// <summary>Reports the records whose slot can't be.</summary>
    internal static void Report(TableBuilder builder, PileDirectory directory, SegmentDirectory segments, FirstFew<PileDamageReport> damages)
    {
        foreach (LogRecord record in builder.Far.Kept)
        {
            Segment segment = segments.At(record.Location);
            damages.Add(new PileDamageReport(
                directory.PathOfRow((int)(record.Location >> Limits.ExtentShiftWords)),
                $"segment {segment.Index}, byte {(record.Location - segment.Location) * Limits.WordBytes}, a record of slot {record.Slot:N0}: files of this size can hold no more than {EndOf(directory.Extents):N0} slots, and the record counts for nothing"));
        }

        damages.AddUnkept(builder.Far.Count - builder.Far.Kept.Count);
    }
}
