// How far an open segment was written when a flush began; an item of MarkerPayload.
// Sealed segments are in no list: those of lower sequence count whole.
namespace Pile.Format;

/// <summary>A segment that was open at a flush.</summary>
/// <param name="Sequence">Its sequence number.</param>
/// <param name="WrittenBytes">Bytes that the flush covers, from the segment's beginning.</param>
internal readonly record struct OpenSegment(long Sequence, int WrittenBytes);
