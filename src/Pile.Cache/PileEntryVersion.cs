// The version of an entry: when it was stored, and the number of that among all that the cache has stored.
// Two entries have the same one only if 2^38 are stored within one millisecond.
using System;

namespace Pile.Cache;

/// <summary>Identifies one stored state of a key's entry, for compare-and-set. Every Set makes another.</summary>
/// <param name="Number">Number of the store operation, of 38 bits.</param>
/// <param name="CreatedMs">Milliseconds since 1970 at which it took place.</param>
public readonly record struct PileEntryVersion(long Number, long CreatedMs)
{
    /// <summary>When the entry was stored, to the millisecond.</summary>
    public DateTimeOffset Created => DateTimeOffset.FromUnixTimeMilliseconds(CreatedMs);
}
