// What reading charges for memory (GraphContext.Charge, ContractReader.Charge), so that no honest value is refused. Every byte of a payload
// stands in one place of what holds it at most, and belongs to one object: each of the two is charged half of what a byte allows,
// whatever it takes. A nullable struct that is nil, or an empty list whose type is known, is one byte.

namespace Pile.Codecs;

/// <summary>Costs of what is read.</summary>
internal static class ReadCost
{
    private const int OfByte = CodecLimits.ReadExpansionMax / 2;

    /// <summary>The cost of places to be filled.</summary>
    /// <param name="count">How many.</param>
    /// <param name="bytesEach">What one takes.</param>
    /// <param name="width">Elements that fill one.</param>
    internal static long Places(long count, int bytesEach, int width = 1) => count * int.Min(bytesEach, width * OfByte);

    /// <summary>The cost of an object besides its places.</summary>
    /// <param name="bytes">What it takes.</param>
    /// <param name="elements">Elements of its array, which take a byte each, as its header does.</param>
    internal static long Object(int bytes, long elements) => long.Min(bytes, (1 + elements) * OfByte);
}
