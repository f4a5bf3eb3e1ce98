// One segment at a moment, for who wants to see where a pile's bytes are.
// Sums over all segments are PileStatistics'.
namespace Pile;

/// <summary>A segment of a pile.</summary>
/// <param name="Index">Its index.</param>
/// <param name="State">What it is used for now.</param>
/// <param name="Sequence">Drawn when it was last opened: the greater, the younger. 0 when it never was.</param>
/// <param name="Bytes">Its size.</param>
/// <param name="WrittenBytes">Bytes that are written.</param>
/// <param name="LiveBytes">Of these, bytes that live; the segment's own header counts as living.</param>
public readonly record struct PileSegment(int Index, PileSegmentState State, long Sequence, int Bytes, int WrittenBytes, int LiveBytes);
