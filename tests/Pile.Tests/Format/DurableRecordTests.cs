using System;
using System.Buffers.Binary;
using Pile.Format;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Format;

public sealed class DurableRecordTests
{
    private static readonly byte[] _payload = [1, 2, 3];
    private static readonly RecordStamp _stamp = new(Version: 7, Generation: 9, Salt: DurableRecord.SaltOf(11, 13), Location: 15);
    private static readonly ulong _word = RecordWord.Pack(5, RecordCode.Bytes, 3);

    [Fact]
    public void AHeaderHoldsVersionGenerationAndPayloadChecksumWhereDrawn()
    {
        byte[] rest = Header();

        Assert.Equal(24, DurableRecord.HeaderBytes);
        Assert.True(DurableRecord.IsDurable);
        Assert.Equal(7UL | (9UL << 40), BinaryPrimitives.ReadUInt64LittleEndian(rest));
        Assert.Equal(Crc32C.Compute(_payload), BinaryPrimitives.ReadUInt32LittleEndian(rest.AsSpan(8)));
        Assert.True(IsWhole(rest, _word, _stamp));
    }

    [Fact]
    public void AHeaderWithAnyBitChangedIsNotWhole()
    {
        for (int bit = 0; bit < 128; bit++)
        {
            byte[] rest = Header();
            rest[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(IsWhole(rest, _word, _stamp), $"bit {bit}");
        }

        for (int bit = 0; bit < 64; bit++)
        {
            Assert.False(IsWhole(Header(), _word ^ (1UL << bit), _stamp), $"bit {bit} of word 0");
        }
    }

    [Fact]
    public void AHeaderAtAnotherPlaceIsNotWholeUntilItIsRestamped()
    {
        RecordStamp[] others =
        [
            _stamp with { Location = 16 },
            _stamp with { Salt = DurableRecord.SaltOf(11, 14) },
            _stamp with { Salt = DurableRecord.SaltOf(12, 13) },
        ];

        foreach (RecordStamp other in others)
        {
            byte[] rest = Header();
            Assert.False(IsWhole(rest, _word, other));
            DurableRecord.Restamp(rest, _word, other);
            Assert.True(IsWhole(rest, _word, other));
            Assert.Equal(Crc32C.Compute(_payload), BinaryPrimitives.ReadUInt32LittleEndian(rest.AsSpan(8)));
        }
    }

    [Fact]
    public void TheMemoryRecordHasEightBytesOfHeaderAndNothingDurable()
    {
        Assert.Equal(8, MemoryRecord.HeaderBytes);
        Assert.False(MemoryRecord.IsDurable);
        MemoryRecord.WriteRest([], _word, 0, _stamp);
        MemoryRecord.Restamp([], _word, _stamp);
    }

    private static bool IsWhole(byte[] rest, ulong word, in RecordStamp place) => DurableRecord.IsWhole(
        word, BinaryPrimitives.ReadUInt64LittleEndian(rest), BinaryPrimitives.ReadUInt64LittleEndian(rest.AsSpan(8)), place.Salt, place.Location);

    private static byte[] Header()
    {
        byte[] rest = new byte[DurableRecord.HeaderBytes - 8];
        DurableRecord.WriteRest(rest, _word, PayloadSum.Of(_word, _payload), _stamp);
        return rest;
    }
}
