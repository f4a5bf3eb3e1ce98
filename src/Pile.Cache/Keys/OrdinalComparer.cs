// Keys as their bytes. Tables know it by its type and compare without a call, with the hash of today (HashSeed).
// Its own hash is the former one: comparers of programs build on it, and the files of their tables hold it.
using System;

namespace Pile.Cache.Keys;

/// <summary>Equality of bytes.</summary>
internal sealed class OrdinalComparer : IPileKeyComparer
{
    /// <inheritdoc/>
    public string Name => "ordinal";

    /// <inheritdoc/>
    public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => KeyHash.FormerOf(key, seed);

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => left.SequenceEqual(right);
}
