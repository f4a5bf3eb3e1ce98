// What one thread found in a stretch of slots, while a cache is attached.
// Shares are added up.
using System.Collections.Generic;

namespace Pile.Cache.Files;

/// <summary>Findings of one stretch. Used by one thread.</summary>
internal sealed class SlotShare
{
    /// <summary>Values that an entry may own: the object, and the number of the table.</summary>
    internal List<(ulong Pointer, int Table)> Values { get; } = [];

    /// <summary>Entries that are nobody's: cleared, dropped, with a later one of the same key, or without the value that they lead to.</summary>
    internal List<ulong> Orphans { get; } = [];

    /// <summary>Values that entries of durable tables own.</summary>
    internal HashSet<ulong> Owned { get; } = [];

    /// <summary>Values whose entry is nobody's although somebody took it for theirs.</summary>
    internal List<ulong> Disowned { get; } = [];

    /// <summary>How many entries of durable tables lead to each object that is shared; 0 where they were nobody's.</summary>
    internal PointerCounts Shared { get; } = new();

    /// <summary>Marks of objects that are shared: the mark, and the object.</summary>
    internal List<(ulong Mark, ulong Pointer)> Marks { get; } = [];

    /// <summary>By segment, when the first of its durable entries may end, and whether some have notes.</summary>
    internal Dictionary<int, (long EndTicks, bool HasNoted)> Ends { get; } = [];

    /// <summary>Adds what another thread found.</summary>
    internal void Add(SlotShare other)
    {
        Values.AddRange(other.Values);
        Orphans.AddRange(other.Orphans);
        Owned.UnionWith(other.Owned);
        Disowned.AddRange(other.Disowned);
        Shared.Add(other.Shared);
        Marks.AddRange(other.Marks);
        foreach ((int segment, (long end, bool hasNoted)) in other.Ends)
        {
            NoteEnd(segment, end, hasNoted);
        }
    }

    /// <summary>Notes when an entry of a segment may end, and whether it has a note, so that a removal by tag may end it.</summary>
    internal void NoteEnd(int segment, long endTicks, bool isNoted)
    {
        (long end, bool hasNoted) = Ends.GetValueOrDefault(segment, (long.MaxValue, false));
        Ends[segment] = (long.Min(endTicks, end), isNoted || hasNoted);
    }
}
