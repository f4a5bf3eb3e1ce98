using Pile.Format;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Format;

public sealed class RecordWordTests
{
    [Theory]
    [InlineData(0u, 0, 0, 0UL)]
    [InlineData(1u, 1, 1, 0x0000_0011_0000_0001UL)]
    [InlineData(uint.MaxValue, 15, Limits.PayloadBytesMax, ulong.MaxValue)]
    [InlineData(0x12345678u, 7, 24, 0x0000_0187_1234_5678UL)]
    public void AWordPacksAndYieldsItsParts(uint slot, int code, int payloadBytes, ulong word)
    {
        Assert.Equal(word, RecordWord.Pack(slot, (RecordCode)code, payloadBytes));
        Assert.Equal(slot, RecordWord.Slot(word));
        Assert.Equal((RecordCode)code, RecordWord.Code(word));
        Assert.Equal(payloadBytes, RecordWord.PayloadBytes(word));

        uint payload = RecordWord.Payload(word);
        Assert.Equal((RecordCode)code, RecordWord.Code(payload));
        Assert.Equal(payloadBytes, RecordWord.PayloadBytes(payload));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(LargeDescriptor.Bytes)]
    [InlineData(Limits.PayloadBytesMax)]
    public void OfWhatAPileInMemoryHoldsALargeObjectAloneIsNotInPlace(int payloadBytes)
    {
        RecordCode[] held =
        [
            RecordCode.Bytes, RecordCode.NarrowString, RecordCode.WideString, RecordCode.Value, RecordCode.Span, RecordCode.Typed,
            RecordCode.Large, RecordCode.Extended,
        ];

        foreach (RecordCode code in held)
        {
            // What stands in place of a large object's payload is always a descriptor.
            int storedBytes = code == RecordCode.Large ? LargeDescriptor.Bytes : payloadBytes;
            Assert.Equal(code != RecordCode.Large, RecordWord.IsInPlace(RecordWord.Payload(RecordWord.Pack(7, code, storedBytes))));
        }
    }

    [Fact]
    public void TheNumbersOfTheCodesAreThoseOfTheFormat()
    {
        RecordCode[] codes =
        [
            RecordCode.Invalid, RecordCode.Bytes, RecordCode.NarrowString, RecordCode.WideString, RecordCode.Value, RecordCode.Span,
            RecordCode.Typed, RecordCode.Large, RecordCode.Tombstone, RecordCode.Frame, RecordCode.Marker, RecordCode.Filler,
            RecordCode.Schema, RecordCode.Root, RecordCode.Cache, RecordCode.Extended,
        ];

        for (int number = 0; number < codes.Length; number++)
        {
            Assert.Equal(number, (int)codes[number]);
        }

        Assert.Equal((int)RecordCode.Bytes, (int)PileKind.Bytes);
        Assert.Equal((int)RecordCode.NarrowString, (int)PileKind.NarrowString);
        Assert.Equal((int)RecordCode.WideString, (int)PileKind.WideString);
        Assert.Equal((int)RecordCode.Value, (int)PileKind.Value);
        Assert.Equal((int)RecordCode.Span, (int)PileKind.Span);
        Assert.Equal((int)RecordCode.Typed, (int)PileKind.Typed);
        Assert.Equal((int)RecordCode.Extended, (int)PileKind.Codec);
        Assert.Equal(1, (int)ExtendedKind.Codec);
    }
}
