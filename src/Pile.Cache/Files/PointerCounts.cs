// How many entries lead to each object, while they are counted by several threads.
// Counts are added up; what is subtracted was added before.
using System.Collections.Generic;

namespace Pile.Cache.Files;

/// <summary>Counts by pointer. Used by one thread.</summary>
internal sealed class PointerCounts
{
    private readonly Dictionary<ulong, int> _counts = [];

    /// <summary>All that were ever counted; 0 for those of which no entry is left.</summary>
    internal IReadOnlyDictionary<ulong, int> All => _counts;

    /// <summary>Counts entries of an object.</summary>
    internal void Add(ulong pointer, int entries) => _counts[pointer] = _counts.GetValueOrDefault(pointer) + entries;

    /// <summary>Adds what was counted elsewhere.</summary>
    internal void Add(PointerCounts other)
    {
        foreach ((ulong pointer, int entries) in other._counts)
        {
            Add(pointer, entries);
        }
    }
}
