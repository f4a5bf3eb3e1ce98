using System;

namespace Pile.Tests.Durability.Model;

/// <summary>A segment's row in the directory.</summary>
/// <param name="Life">Open, sealed, retired or free.</param>
/// <param name="Sequence">Sequence number of this life of the segment.</param>
/// <param name="Length">Places written, of a sealed or retired segment.</param>
internal readonly record struct RowWord(SegmentLife Life, int Sequence = 0, int Length = 0)
{
    /// <summary>Whether it is in use.</summary>
    internal bool Counts => Life is SegmentLife.Open or SegmentLife.Sealed;

    internal static RowWord Unpack(ulong bits) => new((SegmentLife)(bits & 3), (int)(bits >> 2) & 31, (int)(bits >> 7));

    internal ulong Pack() => Sequence > 31
        ? throw new InvalidOperationException($"{this} is beyond what the model can write down")
        : (ulong)Life | ((ulong)Sequence << 2) | ((ulong)Length << 7);
}
