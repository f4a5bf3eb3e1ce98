// Where a segment of a pile of files keeps its state: one word in its extent's file, stored whole. Default: nowhere, in memory.
// It packs nothing itself (SegmentRow does) and reads nothing: rows are read once, when the pile is opened.
using Pile.Format;
using Pile.Memory;

namespace Pile.Segments;

/// <summary>A segment's row.</summary>
/// <param name="Provider">Who must know that the file changed; null in memory.</param>
/// <param name="Region">The extent.</param>
/// <param name="Index">Index of the row.</param>
/// <param name="Identity">The pile's identity, part of the row's check.</param>
/// <param name="Location">The segment's first location, part of the row's check.</param>
internal readonly record struct SegmentRowCell(RegionProvider? Provider, Region Region, int Index, ulong Identity, long Location)
{
    /// <summary>Stores the state that the segment has now.</summary>
    /// <param name="sequence">Its sequence.</param>
    /// <param name="state">Its state.</param>
    /// <param name="isCut">Whether its header says where it ends.</param>
    internal void Store(long sequence, SegmentState state, bool isCut) => Store(sequence, state switch
    {
        SegmentState.Open => SegmentRowState.Open,
        SegmentState.Sealed => SegmentRowState.Sealed,
        SegmentState.Retired => isCut ? SegmentRowState.RetiredCut : SegmentRowState.Retired,
        SegmentState.Quarantined => SegmentRowState.Quarantined,
        _ => SegmentRowState.Absent,
    });

    /// <summary>Stores a state as files know it.</summary>
    internal void Store(long sequence, SegmentRowState state)
    {
        if (Provider is not null)
        {
            long stored = state == SegmentRowState.Absent ? 0 : sequence;
            Provider.WriteSegmentRow(Region, Index, SegmentRow.Pack(stored, state, Identity, Location));
            Provider.MarkDirty(Region);
        }
    }

    /// <summary>Has a stretch of the extent brought ahead of who is about to walk it.</summary>
    internal void ReadAhead(long offset, long bytes) => Provider?.ReadAhead(Region, offset, bytes);
}
