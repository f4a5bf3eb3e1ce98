// What a pile holds at a moment, as the growth policy needs it.
// Figures of slightly different moments while others write; the policy needs no more than that.
namespace Pile.Segments;

/// <summary>Volume of a pile.</summary>
/// <param name="LiveBytes">Bytes of live records, headers and padding included.</param>
/// <param name="Objects">Live objects.</param>
/// <param name="TableBytes">Bytes taken for entries and slot bitmap.</param>
/// <param name="UnfitBytes">Bytes at the ends of full segments, in which a record found no room.</param>
/// <param name="Writers">Writers that have been needed so far.</param>
internal readonly record struct PileVolume(long LiveBytes, long Objects, long TableBytes, long UnfitBytes, int Writers);
