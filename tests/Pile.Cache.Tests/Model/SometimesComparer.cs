// A comparer of text that does not look at case, and throws where it is told to, which none may.
// For calls that fail before anybody has a table.
using System;

namespace Pile.Cache.Tests.Model;

internal sealed class SometimesComparer : IPileKeyComparer
{
    public string Name => "sometimes";

    /// <summary>Whether comparing throws.</summary>
    internal bool Throws { get; init; }

    public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => PileKeyComparers.OrdinalIgnoreCase.Hash(key, seed);

    public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) =>
        Throws ? throw new NotSupportedException() : PileKeyComparers.OrdinalIgnoreCase.Equals(left, right);
}
