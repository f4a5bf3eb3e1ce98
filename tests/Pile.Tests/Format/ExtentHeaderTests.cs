using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Format;

public sealed class ExtentHeaderTests
{
    private static readonly ExtentHeader _header = new(0x0102030405060708, 9, 1, ExtentKind.Segments, 128 << 10);

    [Fact]
    public void EveryFieldStandsWhereItIsDrawnAndComesBack()
    {
        byte[] bytes = Stored(_header);

        Assert.Equal("PILEEXTN"u8.ToArray(), bytes[..8]);
        Assert.Equal(1u, BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(8)));
        Assert.All(bytes[12..40], static value => Assert.Equal(0, value));
        Assert.Equal(_header.Identity, BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(40)));
        (int Offset, uint Value)[] ints = [(48, 9), (52, 1), (56, 1), (60, 128 << 10), (4092, Crc32C.Compute(bytes.AsSpan(0, 4092)))];
        Assert.All(ints, field => Assert.Equal(field.Value, BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(field.Offset))));
        Assert.All(bytes[64..4092], static value => Assert.Equal(0, value));
        Assert.True(ExtentHeader.TryRead(bytes, out ExtentHeader read, out _));
        Assert.Equal(_header, read);
    }

    [Fact]
    public void ThePrefixIsFourPagesAndTheDataFollow()
    {
        Assert.Equal((4096, 12288, 16384, 1024), (ExtentHeader.RowsOffset, ExtentHeader.CopyOffset, ExtentHeader.ExtentPrefixBytes, ExtentHeader.SegmentsMax));
        Assert.Equal((512, 64L << 20, 16384 + (64L << 20)), (_header.Segments, _header.DataBytes, _header.FileBytes));
        var large = new ExtentHeader(1, 2, 3, ExtentKind.Large, 0);
        Assert.Equal((0, 192L << 20), (large.Segments, large.DataBytes));
        Assert.Null(Problem(Stored(large)));
    }

    [Fact]
    public void EveryFlippedBitIsNoticed() => Flips.AreNoticed(Stored(_header), Problem);

    public static IEnumerable<TheoryDataRow<string>> Impossible => [.. Impossibles().Keys];

    [Theory]
    [MemberData(nameof(Impossible))]
    public void AValueThatCannotBeIsNamed(string name) =>
        Assert.Contains(name, Problem(Stored(Impossibles()[name])), StringComparison.Ordinal);

    [Fact]
    public void OfANewerVersionOnlyFeaturesAndIdentityAreRead()
    {
        FormatFeatures newer = FormatFeatures.Current with { Version = 2 };

        Assert.True(ExtentHeader.TryRead(Stored(_header with { Features = newer, Rows = -1 }), out ExtentHeader read, out _));
        Assert.Equal((newer, _header.Identity, 0), (read.Features, read.Identity, read.Rows));
    }

    private static Dictionary<string, ExtentHeader> Impossibles() => new()
    {
        ["1 rows from row 0"] = _header with { FirstRow = 0 },
        ["0 rows from row 9"] = _header with { Rows = 0 },
        ["65535 rows from row 2"] = new ExtentHeader(1, 2, Limits.ExtentsMax - 1, ExtentKind.Large, 0),
        ["2147483647 rows"] = new ExtentHeader(1, int.MaxValue, int.MaxValue, ExtentKind.Large, 0),
        ["kind 3"] = _header with { Kind = (ExtentKind)3 },
        ["has segments of 131072"] = _header with { Kind = ExtentKind.Large },
        ["65537 bytes is no size"] = _header with { SegmentBytes = 65537 },
        ["0 bytes is no size"] = _header with { SegmentBytes = 0 },
        ["segments has 2 rows"] = _header with { Rows = 2 },
    };

    private static byte[] Stored(in ExtentHeader header)
    {
        byte[] bytes = new byte[ExtentHeader.Bytes];
        header.Write(bytes);
        return bytes;
    }

    private static string? Problem(byte[] bytes)
    {
        Assert.Equal(ExtentHeader.TryRead(bytes, out _, out string? problem), problem is null);
        return problem;
    }
}
