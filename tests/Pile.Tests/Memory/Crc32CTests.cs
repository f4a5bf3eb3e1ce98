using System;
using System.Buffers.Binary;
using System.Linq;
using System.Text;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Memory;

public sealed class Crc32CTests
{
    [Fact]
    public void TheVectorsOfRfc3720GiveTheirChecksums()
    {
        Assert.Equal(0x8A9136AAu, Crc32C.Compute(new byte[32]));
        Assert.Equal(0x62A8AB43u, Crc32C.Compute(Enumerable.Repeat((byte)0xFF, 32).ToArray()));
        Assert.Equal(0x46DD794Eu, Crc32C.Compute([.. Enumerable.Range(0, 32).Select(static value => (byte)value)]));
        Assert.Equal(0x113FDB5Cu, Crc32C.Compute([.. Enumerable.Range(0, 32).Select(static value => (byte)(31 - value))]));
        Assert.Equal(0xE3069283u, Crc32C.Compute(Encoding.ASCII.GetBytes("123456789")));
        Assert.Equal(0u, Crc32C.Compute([]));
    }

    [Fact]
    public void AChecksumContinuedOverPartsEqualsThatOfTheWhole()
    {
        byte[] bytes = new byte[100];
        new Random(1).NextBytes(bytes);
        uint whole = Crc32C.Compute(bytes);
        for (int cut = 0; cut <= bytes.Length; cut++)
        {
            Assert.Equal(whole, Crc32C.Compute(bytes.AsSpan(cut), Crc32C.Compute(bytes.AsSpan(0, cut))));
        }
    }

    [Fact]
    public void AppendOfAWordEqualsComputeOfItsEightBytes()
    {
        byte[] bytes = new byte[8];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, 0x0123_4567_89AB_CDEF);

        Assert.Equal(Crc32C.Compute(bytes, 17), Crc32C.Append(17, 0x0123_4567_89AB_CDEF));
    }

    [Fact]
    public void ACopyHasTheBytesAndTheChecksumOfItsSourceAndTouchesNothingElse()
    {
        byte[] source = new byte[2_100];
        new Random(2).NextBytes(source);
        for (int place = 0; place < 9; place++)
        {
            for (int length = 0; length + place <= source.Length; length += length < 300 ? 1 : 97)
            {
                byte[] target = new byte[place + length + 9];
                Assert.Equal(Crc32C.Compute(source.AsSpan(place, length)), Crc32C.Copy(source.AsSpan(place, length), target.AsSpan(place, length)));
                Assert.True(target.AsSpan(place, length).SequenceEqual(source.AsSpan(place, length)));
                Assert.False(target.AsSpan(0, place).ContainsAnyExcept((byte)0) || target.AsSpan(place + length).ContainsAnyExcept((byte)0));
            }
        }
    }

    [Fact]
    public void EveryLengthAtEveryPlaceGivesWhatTheDefinitionSays()
    {
        byte[] bytes = new byte[(7 * Crc32C.StreamBytes) + 40];
        new Random(2).NextBytes(bytes);
        for (int begin = 0; begin < 9; begin++)
        {
            uint expected = 0x1234_5678;
            for (int length = 0; begin + length < bytes.Length; length++)
            {
                Assert.Equal(expected, Crc32C.Compute(bytes.AsSpan(begin, length), 0x1234_5678));
                expected = BitByBit(expected, bytes[begin + length]);
            }
        }
    }

    private static uint BitByBit(uint crc, byte value)
    {
        crc = ~crc ^ value;
        for (int bit = 0; bit < 8; bit++)
        {
            crc = (crc >> 1) ^ ((crc & 1) * 0x82F6_3B78);
        }

        return ~crc;
    }
}
