using System;
using System.Buffers.Binary;
using Pile.Format;
using Xunit;

namespace Pile.Tests.Format;

public sealed class SegmentHeaderTests
{
    private const ulong Identity = 0xFEDC_BA98_7654_3210;
    private const long Sequence = 0x0102030405;
    private const long Location = 0x1122334455;

    [Fact]
    public void EveryFieldStandsWhereItIsDrawnAndComesBack()
    {
        byte[] bytes = Stored();

        Assert.Equal(32, SegmentHeader.Bytes);
        Assert.Equal("PILESEGM"u8.ToArray(), bytes[..8]);
        Assert.Equal((Sequence, Location), (BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(8)), BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(16))));
        Assert.Equal([0, 0, 0, 0], bytes[28..]);
        Assert.True(SegmentHeader.TryRead(bytes, Identity, Location, out long sequence, out int cutBytes, out _));
        Assert.Equal((Sequence, 0), (sequence, cutBytes));

        SegmentHeader.Write(bytes, Sequence, Identity, Location, 4096);
        Assert.Equal(4096, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(28)));
        Assert.True(SegmentHeader.TryRead(bytes, Identity, Location, out _, out cutBytes, out _));
        Assert.Equal(4096, cutBytes);
    }

    [Fact]
    public void EveryFlippedBitIsNoticed() => Flips.AreNoticed(Stored(), static bytes => Problem(bytes, Identity, Location));

    [Fact]
    public void AHeaderOfAnotherPileOrPlaceIsNoticed()
    {
        Assert.Contains("checksum", Problem(Stored(), Identity + 1, Location), StringComparison.Ordinal);
        Assert.Contains($"location {Location}", Problem(Stored(), Identity, Location + 8192), StringComparison.Ordinal);
    }

    [Fact]
    public void ASequenceThatCannotBeIsNamed()
    {
        byte[] bytes = new byte[SegmentHeader.Bytes];
        SegmentHeader.Write(bytes, 0, Identity, Location);
        Assert.Contains("sequence 0", Problem(bytes, Identity, Location), StringComparison.Ordinal);
        SegmentHeader.Write(bytes, SegmentRow.SequenceMax + 1, Identity, Location);
        Assert.Contains("sequence 1099511627776", Problem(bytes, Identity, Location), StringComparison.Ordinal);
    }

    private static byte[] Stored()
    {
        byte[] bytes = new byte[SegmentHeader.Bytes];
        bytes.AsSpan().Fill(0xFF);
        SegmentHeader.Write(bytes, Sequence, Identity, Location);
        return bytes;
    }

    private static string? Problem(byte[] bytes, ulong identity, long location)
    {
        Assert.Equal(SegmentHeader.TryRead(bytes, identity, location, out long sequence, out _, out string? problem), problem is null);
        Assert.Equal(sequence == 0, problem is not null);
        return problem;
    }
}
