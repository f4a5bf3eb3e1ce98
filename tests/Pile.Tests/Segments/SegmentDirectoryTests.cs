using System;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

public sealed class SegmentDirectoryTests : IDisposable
{
    private readonly ExtentMap _extents = new(RegionProvider.Default, 4L * Limits.ExtentBytes, Limits.ExtentBytes);
    private readonly SegmentDirectory _directory;

    public SegmentDirectoryTests()
    {
        _directory = new SegmentDirectory(_extents, RegionProvider.Default, identity: 0, Limits.SegmentBytesMin, Limits.SegmentBytesMax);
    }

    public void Dispose() => _extents.Dispose();

    [Theory]
    [InlineData(0L, Limits.SegmentBytesMin)]
    [InlineData((128L * 128 << 10) - 1, Limits.SegmentBytesMin)]
    [InlineData(128L * 128 << 10, 128 << 10)]
    [InlineData(1L << 30, 8 << 20)]
    [InlineData(1L << 31, Limits.SegmentBytesMax)]
    [InlineData(1L << 42, Limits.SegmentBytesMax)]
    public void TheSizeOfASegmentGrowsWithThePileBetweenItsBounds(long residentBytes, int segmentBytes)
    {
        Assert.Equal(segmentBytes, _directory.SegmentBytesFor(residentBytes));
    }

    [Fact]
    public void ExtentsAreCutByThePresentSizeAndLocationsFindTheirSegment()
    {
        for (int added = 0; added < 1024; added += Limits.SegmentsAddedAtOnce)
        {
            // The size is asked for at the beginning of an extent only.
            Assert.Equal(Limits.SegmentsAddedAtOnce, _directory.TryAdd(added == 0 ? 0 : 1L << 31, wantHugePages: true));
            Assert.Equal(added + Limits.SegmentsAddedAtOnce, _directory.Count);
        }

        Assert.Equal(4, _directory.TryAdd(1L << 31, wantHugePages: true));
        Assert.Equal(1028, _directory.Count);
        for (int index = 0; index < _directory.Count; index++)
        {
            Segment segment = _directory[index];
            long last = segment.Location + (segment.Bytes / Limits.WordBytes) - 1;
            Assert.Equal(index, segment.Index);
            Assert.Equal(SegmentState.Absent, segment.State);
            Assert.Same(segment, _directory.At(segment.Location));
            Assert.Same(segment, _directory.At(last));
            Assert.Equal(index < 1024 ? Limits.SegmentBytesMin : Limits.SegmentBytesMax, segment.Bytes);
        }
    }

    [Fact]
    public void AnExtentBeyondTheFlatSpaceIsRefused()
    {
        int added = 0;
        while (_directory.TryAdd(0, wantHugePages: false) is int count && count > 0)
        {
            added += count;
        }

        Assert.Equal(4 * 1024, added);
    }

    [Fact]
    public void ThePileOfOneObjectHasAFewDescriptors()
    {
        using var pile = new CheckedPile();
        pile.It.Put(1);

        Assert.Equal(Limits.SegmentsAddedAtOnce, pile.Core.Directory.Count);
    }
}
