// A huge array of atomic 8-byte words in one reservation of address space: a word's address is one addition.
// The object table is one, its bitmap of free slots another. Access only: WordRegion reserves and frees.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using System.Threading;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Access to the words by index. A view: copying it is free.</summary>
// SAFETY: the callers guarantee that the index lies below the count of words that WordRegion reserved. All of the reservation
// may be read: a page never touched reads as zero.
internal readonly unsafe struct WordArray(nint words)
{
    private readonly ulong* _words = (ulong*)words;

    /// <summary>Acquire load of a word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Read(uint index) => Volatile.Read(ref _words[index]); // SAFETY: see the type.

    /// <summary>Acquire load of a word, by an index that is already 64 bits wide.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Read(ulong index) => Volatile.Read(ref _words[index]); // SAFETY: see the type.

    /// <summary>Release store of a word by its only writer.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteRelease(uint index, ulong word) => Volatile.Write(ref _words[index], word); // SAFETY: see the type.

    /// <summary>Replaces <paramref name="expected"/> by <paramref name="word"/>; returns what stood there. As signed words: that one is an
    /// instruction in code compiled ahead of time too, where the other is a call.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong CompareExchange(uint index, ulong word, ulong expected) =>
        (ulong)Interlocked.CompareExchange(ref ((long*)_words)[index], (long)word, (long)expected); // SAFETY: see the type.

    /// <summary>Stores one byte of a word, plainly.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void StoreByte(uint index, int offset, byte value) => ((byte*)(_words + index))[offset] = value; // SAFETY: see the type; the offset is below 8.

    /// <summary>A word in place, for a caller that reads and publishes it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ref ulong At(uint index) => ref _words[index]; // SAFETY: see the type.

    /// <summary>A stretch of words as bytes, for a checksum over them.</summary>
    internal ReadOnlySpan<byte> Bytes(uint index, int words) => new(_words + index, words * Limits.WordBytes); // SAFETY: see the type.

    /// <summary>Which words of a line of eight agree with a word in the bits from <paramref name="shift"/> up: a bit a word, the first
    /// lowest. Each word is read whole; the order in which they are read is not told.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint MatchLine(uint first, ulong word, [ConstantExpected] int shift)
    {
        // SAFETY: see the type; the caller guarantees that all eight are below the count.
        Vector512<ulong> line = Vector512.Load(_words + first);
        return (uint)Vector512.Equals(line >>> shift, Vector512.Create(word >>> shift)).ExtractMostSignificantBits();
    }

    /// <summary>Asks for the cache line of a word; a wish that touches nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(uint index)
    {
        // SAFETY: a prefetch never faults and reads nothing.
        if (Sse.IsSupported)
        {
            Sse.Prefetch0(_words + index);
        }
    }
}
