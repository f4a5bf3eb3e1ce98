// An entry as a reader saw it, for an exchange against it later. The entry alone would not do: after its epoch another record
// of the object may come to stand at the same location, in the same segment opened anew.
using Pile.Format;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>An entry and the sequence of the segment it led into; default means any.</summary>
/// <param name="Entry">The entry, live; 0 for any.</param>
/// <param name="Sequence">Sequence of the segment, which is another each time the segment is opened.</param>
internal readonly record struct SeenEntry(ulong Entry, long Sequence)
{
    /// <summary>What an entry read in the present epoch leads to. Inside that epoch.</summary>
    internal static SeenEntry Of(SegmentDirectory directory, ulong entry) =>
        new(entry, directory.At(EntryWord.Location(entry)).Sequence);
}
