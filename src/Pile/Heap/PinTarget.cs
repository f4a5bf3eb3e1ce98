// What a pin holds: a segment, or a large object's run, and where the payload lies.
// A value without behaviour: HeapReads takes the pin and gives it back, PilePin makes sure that this happens once.
using Pile.Format;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Target of a pin.</summary>
/// <param name="Segment">The segment whose pin count was raised, or null for a large object.</param>
/// <param name="Location">The record, or the run.</param>
/// <param name="Address">First byte of the payload.</param>
/// <param name="Bytes">Length of the payload.</param>
/// <param name="Code">Its lane.</param>
internal readonly record struct PinTarget(Segment? Segment, long Location, nint Address, int Bytes, RecordCode Code);
