// Keys as their bytes. Tables know it by its type and compare without a call.
// The hash is KeyHash's.
using System;

namespace Pile.Cache.Keys;

/// <summary>Equality of bytes.</summary>
internal sealed class OrdinalComparer : IPileKeyComparer
{
    /// <inheritdoc/>
    public string Name => "ordinal";

    /// <inheritdoc/>
    public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => KeyHash.Of(key, seed);

    /// <inheritdoc/>
    public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => left.SequenceEqual(right);
}
