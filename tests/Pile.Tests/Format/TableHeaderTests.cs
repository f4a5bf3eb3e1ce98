using System;
using System.Buffers.Binary;
using Pile.Format;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Format;

public sealed class TableHeaderTests
{
    private static readonly TableHeader _header = new(0x0102030405060708, 0x11121314);

    [Fact]
    public void EveryFieldStandsWhereItIsDrawnAndComesBack()
    {
        byte[] bytes = Stored();

        Assert.Equal("PILETABL"u8.ToArray(), bytes[..8]);
        Assert.Equal(1u, BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(8)));
        Assert.All(bytes[12..40], static value => Assert.Equal(0, value));
        Assert.Equal(_header.Identity, BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(40)));
        Assert.Equal(_header.Number, BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(48)));
        Assert.All(bytes[52..2044], static value => Assert.Equal(0, value));
        Assert.Equal(Crc32C.Compute(bytes.AsSpan(0, 2044)), BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(2044)));
        Assert.All(bytes[2048..2060], static value => Assert.Equal(0, value));
        Assert.Equal("LIST"u8.ToArray(), bytes[2060..2064]);
        Assert.All(bytes[2064..], static value => Assert.Equal(0, value));
        Assert.True(TableHeader.TryRead(bytes, out TableHeader read, out _));
        Assert.Equal(_header, read);
    }

    [Fact]
    public void EveryFlippedBitOfTheFixedHalfIsNoticed() =>
        Flips.AreNoticed(Stored()[..TableHeader.FixedBytes], static bytes => TableHeader.TryRead(bytes, out _, out string? problem) ? null : problem);

    [Fact]
    public void TheHighWaterMayBeAnything()
    {
        byte[] bytes = Stored();
        BinaryPrimitives.WriteUInt64LittleEndian(bytes.AsSpan(TableHeader.HighWaterOffset), ulong.MaxValue);

        Assert.True(TableHeader.TryRead(bytes, out TableHeader read, out _));
        Assert.Equal(_header, read);
    }

    private static byte[] Stored()
    {
        byte[] bytes = new byte[TableHeader.Bytes];
        bytes.AsSpan().Fill(0xFF);
        _header.Write(bytes);
        return bytes;
    }
}
