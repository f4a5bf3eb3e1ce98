// A segment as its files describe it, before anyone has walked it.
// A class, because lists of it are made by every open, and of those the runtime has code that need not be compiled first.
// How far it is really written is the crawl's to find, unless a recovery has said so before.
using Pile.Format;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>What a segment was.</summary>
/// <param name="Segment">The segment.</param>
/// <param name="State">Its stored state.</param>
/// <param name="EndBytes">Bytes of it that may hold records: its length, or where a recovery cut it.</param>
internal sealed record StoredSegment(Segment Segment, SegmentRowState State, int EndBytes);
