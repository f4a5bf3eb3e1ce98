// What makes two keys the same, told over their bytes, because bytes are what is stored.
// The built-in ones are PileKeyComparers. Its name is kept with a table, so that it is not opened with another.
using System;

namespace Pile.Cache;

/// <summary>Equality and hash of keys, over their stored bytes. Implementations are thread-safe, keep no state and never change.</summary>
/// <remarks>Keys of text are UTF-8; text that is not valid UTF-16 is one byte 0xFF and its UTF-16 code units, little-endian. Unmanaged
/// keys are their bytes, with the padding cleared. Neither member may throw, or change anything in a pile or a cache: a bucket of the index is locked
/// meanwhile. Objects of a pile may be read.</remarks>
public interface IPileKeyComparer
{
    /// <summary>The comparer's name, the same for ever: 1 to 256 chars of well-formed text.</summary>
    string Name { get; }

    /// <summary>A hash of 64 bits that are all used: the low half chooses a bucket, the top 14 bits tell entries of it apart. The same for
    /// keys that are equal, on every machine and in every version.</summary>
    /// <param name="key">The key's bytes, at most 15,360.</param>
    /// <param name="seed">The table's seed.</param>
    ulong Hash(ReadOnlySpan<byte> key, ulong seed);

    /// <summary>Whether two keys are the same.</summary>
    /// <param name="left">Bytes of the one.</param>
    /// <param name="right">Bytes of the other.</param>
    bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right);
}
