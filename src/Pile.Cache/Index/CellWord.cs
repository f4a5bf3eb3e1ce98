// A cell of a bucket, low to high: location 39 | main 1 | visits 8 | priority 2 | tag 14. A cell without a location is empty: no record
// stands at location 0. The tag is the top of the key's hash; the bottom half of the hash stands in the record and chooses the bucket.
// Visits have a byte of their own, so that a reader can store them without an atomic operation: at worst it gives its visit to the
// entry that has just taken the place, or leaves one in an empty cell, where it means nothing.
using System.Runtime.CompilerServices;

namespace Pile.Cache.Index;

/// <summary>Packing and reading of a cell.</summary>
internal static class CellWord
{
    internal const int TagShift = 50;
    internal const int VisitsMax = 3;
    internal const int VisitsByte = 5;
    internal const ulong MainBit = 1UL << 39;
    private const int VisitsShift = 8 * VisitsByte;
    private const int PriorityShift = 48;
    private const ulong LocationMask = MainBit - 1;
    private const ulong VisitsMask = 0xFFUL << VisitsShift;

    /// <summary>The tag of a hash, in its place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Tag(ulong hash) => hash >> TagShift << TagShift;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack(long location, ulong tag, int priority) => (ulong)location | tag | ((ulong)(uint)priority << PriorityShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long Location(ulong cell) => (long)(cell & LocationMask);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsEmpty(ulong cell) => (cell & LocationMask) == 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool HasTag(ulong cell, ulong tag) => (cell ^ tag) >> TagShift == 0 && !IsEmpty(cell);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Visits(ulong cell) => (byte)(cell >> VisitsShift);

    internal static bool IsMain(ulong cell) => (cell & MainBit) != 0;

    internal static int Priority(ulong cell) => (int)((cell >> PriorityShift) & 3);

    /// <summary>The same cell with another location.</summary>
    internal static ulong Moved(ulong cell, long location) => (cell & ~LocationMask) | (ulong)location;

    /// <summary>The same cell with other visits.</summary>
    internal static ulong WithVisits(ulong cell, int visits) => (cell & ~VisitsMask) | ((ulong)(uint)visits << VisitsShift);

    /// <summary>Visits and queue of one cell on another: for an entry that was replaced.</summary>
    internal static ulong WithStanding(ulong cell, ulong former) => cell | (former & (VisitsMask | MainBit));
}
