// An event as it stands in a ring, but for the bytes of its key.
// Kind 0: there is none.
namespace Pile.Cache.Events;

/// <summary>An event.</summary>
/// <param name="Kind">What took place.</param>
/// <param name="KeyBytes">Bytes of its key, or of its tag.</param>
/// <param name="Version">Version of the entry.</param>
/// <param name="Former">Version of the entry that it replaced.</param>
/// <param name="Number">Its number.</param>
/// <param name="Lost">Events before it that were written over; then there is nothing else of it yet.</param>
internal readonly record struct EventFacts(PileEventKinds Kind, int KeyBytes, PileEntryVersion Version, PileEntryVersion Former, long Number, long Lost);
