// A huge array of atomic 8-byte words, in granules that are mapped as it grows and never move.
// The object table is one, its bitmap of free slots another. Access only: GranuleMap maps and frees.
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using System.Threading;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Access to the words by index. A view: copying it is free.</summary>
// SAFETY: the callers guarantee that the index lies below the count of words that GranuleMap has mapped, which only grows;
// a granule is mapped before any index inside it is published.
internal readonly unsafe struct WordArray(nint granules, int shift)
{
    private readonly ulong** _granules = (ulong**)granules;
    private readonly int _shift = shift;

    /// <summary>Acquire load of a word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Read(uint index) => Volatile.Read(ref *At(index)); // SAFETY: see the type.

    /// <summary>Release store of a word by its only writer.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteRelease(uint index, ulong word) => Volatile.Write(ref *At(index), word); // SAFETY: see the type.

    /// <summary>Replaces <paramref name="expected"/> by <paramref name="word"/>; returns what stood there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong CompareExchange(uint index, ulong word, ulong expected) =>
        Interlocked.CompareExchange(ref *At(index), word, expected); // SAFETY: see the type.

    /// <summary>Asks for the cache line of a word; a wish that touches nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(uint index)
    {
        // SAFETY: a prefetch never faults and reads nothing; the granule pointer is read as in At.
        if (Sse.IsSupported)
        {
            Sse.Prefetch0(At(index));
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong* At(uint index)
    {
        // SAFETY: see the type.
        // The directory holds each granule's address less its first index, which leaves one addition.
        Check.That(_granules[index >> _shift] != null);
        return _granules[index >> _shift] + index;
    }
}
