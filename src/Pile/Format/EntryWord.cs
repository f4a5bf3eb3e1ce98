// An entry of the object table: location 39 (8-byte words) | live 1 | generation 24, low to high.
// Generation stands on top here and in the pointer, so that one exclusive-or and one shift compare them.
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Packing and reading of a table entry. A free entry keeps the generation of the object that was there last.</summary>
internal static class EntryWord
{
    internal const int LocationBits = 39;
    internal const int GenerationShift = 40;
    internal const uint GenerationMax = (1 << 24) - 1;

    /// <summary>The last generation that a slot is issued with; then it is retired.</summary>
    internal const uint GenerationLast = GenerationMax - 1;
    internal const ulong LiveBit = 1UL << LocationBits;
    private const ulong LocationMask = LiveBit - 1;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Live(long location, uint generation) =>
        (ulong)location | LiveBit | ((ulong)generation << GenerationShift);

    /// <summary>A live entry, its generation in place as <see cref="NextGeneration"/> gives it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Live(long location, ulong generationInPlace) => (ulong)location | LiveBit | generationInPlace;

    /// <summary>The generation after a free entry's, in its place in entries and pointers.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong NextGeneration(ulong entry)
    {
        ulong last = entry >> GenerationShift;
        return (Fault.GenerationKept ? ulong.Max(last, 1) : last + 1) << GenerationShift;
    }

    /// <summary>The generation after a free entry's that leads nowhere, over a live bit: all of the slot's next entry but the location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong NextLive(ulong entry)
    {
        Check.That((entry & (LocationMask | LiveBit)) == 0);
        return Fault.GenerationKept ? NextGeneration(entry) | LiveBit : entry + ((1UL << GenerationShift) | LiveBit);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Free(uint generation) => (ulong)generation << GenerationShift;

    /// <summary>A free entry that refers to its tombstone; location 0 is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Free(uint generation, long tombstone) => Free(generation) | (ulong)tombstone;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long Location(ulong entry) => (long)(entry & LocationMask);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Generation(ulong entry) => (uint)(entry >> GenerationShift);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsLive(ulong entry) => (entry & LiveBit) != 0;

    /// <summary>The entry of a record of the pile's own, a schema: a location alone, neither live nor of any generation, so that
    /// no pointer matches it. In what <see cref="ReadsAtOnce"/> adds up, those would that have the opposite highest bit in their tag, and generation 0 or
    /// <see cref="GenerationMax"/>, with which no slot is issued.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Internal(long location) => (ulong)location;

    /// <summary>Whether an entry is of a record of the pile's own.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsInternal(ulong entry) => entry - 1 < LocationMask;

    /// <summary>The same entry at another location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Moved(ulong entry, long location) => (entry & ~LocationMask) | (ulong)location;

    /// <summary>Whether the entry is live and of the pointer's generation: the entry without its location is the pointer's
    /// generation over a live bit, where the pointer has the highest bit of its tag.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool Matches(ulong entry, ulong pointer) => (entry ^ (pointer | LiveBit)) >> LocationBits == 0;
}
