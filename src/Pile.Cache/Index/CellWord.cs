// A cell of a bucket, low to high: location 39 | visits 2 | main 1 | priority 2 | tag 20. Zero is an empty cell: no record stands at
// location 0. The tag is the top of the key's hash; the bottom half of the hash stands in the record and chooses the bucket.
using System.Runtime.CompilerServices;

namespace Pile.Cache.Index;

/// <summary>Packing and reading of a cell.</summary>
internal static class CellWord
{
    internal const int TagShift = 44;
    internal const ulong VisitsMax = 3;
    internal const ulong Visit = 1UL << VisitsShift;
    internal const ulong MainBit = 1UL << 41;
    private const int VisitsShift = 39;
    private const int PriorityShift = 42;
    private const ulong LocationMask = (1UL << VisitsShift) - 1;
    private const ulong VisitsMask = VisitsMax << VisitsShift;

    /// <summary>The tag of a hash, in its place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Tag(ulong hash) => hash >> TagShift << TagShift;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack(long location, ulong tag, int priority) => (ulong)location | tag | ((ulong)(uint)priority << PriorityShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long Location(ulong cell) => (long)(cell & LocationMask);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool HasTag(ulong cell, ulong tag) => (cell ^ tag) >> TagShift == 0 && (cell & LocationMask) != 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Visits(ulong cell) => (int)((cell & VisitsMask) >> VisitsShift);

    internal static bool IsMain(ulong cell) => (cell & MainBit) != 0;

    internal static int Priority(ulong cell) => (int)((cell >> PriorityShift) & 3);

    /// <summary>The same cell with another location.</summary>
    internal static ulong Moved(ulong cell, long location) => (cell & ~LocationMask) | (ulong)location;

    /// <summary>The same cell with other visits.</summary>
    internal static ulong WithVisits(ulong cell, int visits) => (cell & ~VisitsMask) | ((ulong)(uint)visits << VisitsShift);

    /// <summary>Visits and queue of one cell on another: for an entry that was replaced.</summary>
    internal static ulong WithStanding(ulong cell, ulong former) => cell | (former & (VisitsMask | MainBit));
}
