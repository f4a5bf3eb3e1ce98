namespace Pile.Tests.Durability.Model;

/// <summary>How far segments are written at one moment: for each listed one its sequence and its length, and the sequence below
/// which others count whole. 37 bits, so that a marker can hold it.</summary>
internal readonly record struct Lengths(ulong Bits)
{
    /// <summary>The length of a segment that nobody writes to any more, as a checkpoint lists it.</summary>
    internal const int Whole = 7;

    private const int RowBits = 8;

    /// <summary>Segments of a lower sequence that are not listed count whole.</summary>
    internal int NextSequence => (int)Bits & 31;

    internal static Lengths Below(int nextSequence) => new((ulong)nextSequence);

    internal Lengths With(int segment, int sequence, int length) =>
        new(Bits | ((ulong)(sequence | (length << 5)) << (5 + (segment * RowBits))));

    /// <summary>The length listed for this life of a segment.</summary>
    internal bool TryGet(int segment, int sequence, out int length)
    {
        int row = (int)(Bits >> (5 + (segment * RowBits))) & ((1 << RowBits) - 1);
        length = row >> 5;
        return row != 0 && (row & 31) == sequence;
    }
}
