using System;
using System.Buffers.Binary;
using Pile.Format;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Format;

public sealed class MarkerPayloadTests
{
    private static readonly OpenSegment[] _open = [new(0x0102030405, 4096), new(SegmentRow.SequenceMax, Limits.SegmentBytesMax), new(1, 0)];

    [Fact]
    public void EveryFieldStandsWhereItIsDrawnAndComesBack()
    {
        byte[] bytes = Stored(_open);

        Assert.Equal(16 + (3 * 12), bytes.Length);
        Assert.Equal(0x1122334455667788, BinaryPrimitives.ReadInt64LittleEndian(bytes));
        Assert.Equal(3, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(8)));
        Assert.Equal(0x0102030405, BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(16)));
        Assert.Equal(4096, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(24)));
        Assert.True(MarkerPayload.TryRead(bytes, out long flush, out OpenSegment[]? read, out _));
        Assert.Equal(0x1122334455667788, flush);
        Assert.Equal(_open, read);
    }

    [Fact]
    public void AMarkerWithoutOpenSegmentsComesBack()
    {
        Assert.True(MarkerPayload.TryRead(Stored([]), out long flush, out OpenSegment[]? read, out _));
        Assert.Equal(0x1122334455667788, flush);
        Assert.Empty(read);
    }

    [Theory]
    [InlineData(7, 0x80, "is negative")]
    [InlineData(8, 4, "4 segments do not take")]
    [InlineData(11, 0xFF, "segments do not take")]
    [InlineData(12, 1, "reserved")]
    [InlineData(23, 1, "segment ")]
    [InlineData(27, 0x80, "with -")]
    [InlineData(27, 2, "bytes can't be")]
    public void AMarkerThatCannotBeIsNamed(int offset, byte value, string problem)
    {
        byte[] bytes = Stored(_open);
        bytes[offset] = value;

        Assert.False(MarkerPayload.TryRead(bytes, out long flush, out OpenSegment[]? read, out string? actual));
        Assert.Contains(problem, actual, StringComparison.Ordinal);
        Assert.Equal((0L, true), (flush, read is null));
    }

    [Fact]
    public void AMarkerThatEndsEarlyIsNamed()
    {
        byte[] bytes = Stored(_open);
        for (int length = 0; length < bytes.Length; length++)
        {
            Assert.False(MarkerPayload.TryRead(bytes.AsSpan(0, length), out _, out _, out string? problem));
            Assert.Contains($"{length} bytes", problem, StringComparison.Ordinal);
        }
    }

    private static byte[] Stored(OpenSegment[] open)
    {
        byte[] bytes = new byte[MarkerPayload.BytesOf(open.Length)];
        bytes.AsSpan().Fill(0xFF);
        MarkerPayload.Write(bytes, 0x1122334455667788, open);
        return bytes;
    }
}
