// A segment as its files describe it, before anyone has walked it.
// How far it is really written is the crawl's to find, unless a recovery has said so before.
// A class, because lists of it are made by every open, and of those the runtime has code that need not be compiled first.
using Pile.Format;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>What a segment was.</summary>
/// <param name="Segment">The segment.</param>
/// <param name="State">Its stored state.</param>
/// <param name="EndBytes">Bytes of it that may hold records: its length, or where a recovery cut it.</param>
/// <param name="IsCleared">Whether what it holds was cleared (C4): whatever its row says, none of its records counts, at any open.</param>
/// <param name="IsEndLost">Whether it was cut, and what said where is overwritten: behind that may stand records of its own that never counted.</param>
internal sealed record StoredSegment(Segment Segment, SegmentRowState State, int EndBytes, bool IsCleared = false, bool IsEndLost = false)
{
    /// <summary>Whether a crawl walks it: one in quarantine as well, for what the cleaner found is damage, and all else in it lives.</summary>
    internal bool Counts => State != SegmentRowState.Absent && !IsCleared;

    /// <summary>Whether its header says that a recovery cut it.</summary>
    internal bool IsCut => State != SegmentRowState.Absent && EndBytes < Segment.Bytes;
}
