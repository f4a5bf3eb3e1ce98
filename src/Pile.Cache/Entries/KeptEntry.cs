// An entry as GetOrAdd sees it: one that is shown, one that has ended and is kept, or one that says that there is no value.
// A snapshot, made inside the lease of its value.
using System;

namespace Pile.Cache.Entries;

/// <summary>Facts about an entry that has not gone.</summary>
/// <param name="Kind">What it stands for.</param>
/// <param name="EndTicks">When it ends, and is shown no more; in the past where it has.</param>
/// <param name="Version">Its version.</param>
/// <param name="IsShown">Whether it is shown to all who read.</param>
/// <param name="KeptTicks">How long it is kept after its end.</param>
internal readonly record struct KeptEntry(NoteKind Kind, long EndTicks, PileEntryVersion Version, bool IsShown, long KeptTicks)
{
    /// <summary>Whether less than a time has gone by since its end; never where there is no such time.</summary>
    internal bool IsWithin(TimeSpan? afterEnd, long now) => afterEnd is { } span && now < EntryTermsOf.Later(EndTicks, span.Ticks);
}
