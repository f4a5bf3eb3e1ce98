using System;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>The search for the next record behind damage, and what no writer leaves in a segment.</summary>
public sealed class DamagedStretchTests : IDisposable
{
    private const ulong Identity = 5;
    private readonly ExtentMap _extents = new(RegionProvider.Default, 4L * Limits.ExtentBytes, Limits.ExtentBytes);
    private readonly SegmentDirectory _directory;
    private readonly Segment _segment;

    public DamagedStretchTests()
    {
        _directory = new SegmentDirectory(_extents, RegionProvider.Default, Identity, Limits.SegmentBytesMin, Limits.SegmentBytesMin);
        Assert.True(_directory.TryAdd(0, wantHugePages: false) > 0);
        _segment = _directory[0];
        _segment.Restore(sequence: 7, SegmentState.Sealed);
    }

    public void Dispose() => _extents.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1000)]
    public void BehindRecordsWhosePayloadsAreDamagedTheNextWholeOneIsFound(int payloadBytes)
    {
        int whole = SegmentHeader.Bytes + Limits.WordBytes;
        while (whole + payloadBytes + 1000 < _segment.Bytes)
        {
            whole += Write(whole, RecordCode.Bytes, payloadBytes, isWhole: payloadBytes == 0 && whole > 5000);
        }

        Write(whole, RecordCode.Bytes, 16, isWhole: true);
        SegmentWalk<DurableRecord> walk = Bad();
        DamagedStretch.Skip(_directory.Space, ref walk, _segment.Bytes);
        Assert.Equal(payloadBytes == 0 ? 5008 : whole, walk.Offset);
    }

    /// <summary>Headers that hold, of payloads that do not and lie in each other, as only somebody who means it leaves them: to look at each would take hours.</summary>
    [Fact]
    public void WhereRecordsLieInEachOtherTheSearchEnds()
    {
        int last = _segment.Bytes - DurableRecord.HeaderBytes;
        Write(last, RecordCode.Bytes, 0, isWhole: true);
        for (int offset = last - DurableRecord.HeaderBytes; offset > SegmentHeader.Bytes; offset -= DurableRecord.HeaderBytes)
        {
            Write(offset, RecordCode.Bytes, last - offset - DurableRecord.HeaderBytes, isWhole: false);
        }

        SegmentWalk<DurableRecord> walk = Bad();
        DamagedStretch.Skip(_directory.Space, ref walk, _segment.Bytes);
        Assert.Equal(_segment.Bytes, walk.Offset);
    }

    [Fact]
    public void AFrameInAFrameIsNoRecord()
    {
        int inner = SegmentHeader.Bytes + DurableRecord.HeaderBytes;
        Write(inner, RecordCode.Frame, 100, isWhole: true);
        Write(SegmentHeader.Bytes, RecordCode.Frame, 200, isWhole: true);
        var walk = new SegmentWalk<DurableRecord>(_directory.Space, _segment, _segment.Bytes, Identity);
        Assert.True(walk.TryNext(out _, out ulong word, out _));
        Assert.Equal(RecordCode.Frame, RecordWord.Code(word));
        Assert.False(walk.TryNext(out _, out _, out _));
        Assert.True(walk.IsBad);
        Assert.Equal(inner, walk.Offset);
    }

    /// <summary>A walk that stands at something bad, right behind the segment's header.</summary>
    private SegmentWalk<DurableRecord> Bad()
    {
        var walk = new SegmentWalk<DurableRecord>(_directory.Space, _segment, _segment.Bytes, Identity);
        _directory.Space.WriteWord(_segment.Location + (SegmentHeader.Bytes / Limits.WordBytes), 0);
        Assert.False(walk.TryNext(out _, out _, out _));
        Assert.True(walk.IsBad);
        return walk;
    }

    /// <summary>Writes a record, its payload as it stands there.</summary>
    /// <returns>Its bytes.</returns>
    private int Write(int offset, RecordCode code, int payloadBytes, bool isWhole)
    {
        long location = _segment.Location + (offset / Limits.WordBytes);
        uint sum = Crc32C.Compute(_directory.Space.Bytes(location, DurableRecord.HeaderBytes, payloadBytes));
        var stamp = new RecordStamp { Generation = 1, Version = 1, Salt = DurableRecord.SaltOf(Identity, _segment.Sequence), Location = location };
        PlacedHeader<DurableRecord>.Write(_directory.Space, RecordWord.Pack(code == RecordCode.Frame ? 0 : 3u, code, payloadBytes), isWhole ? sum : ~sum, stamp);
        return SegmentWriter<DurableRecord>.RecordBytes(payloadBytes);
    }
}
