using System;
using System.Collections.Generic;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

public sealed class SegmentPoolTests : IDisposable
{
    private const int Writers = 1;
    private readonly ExtentMap _extents = new(RegionProvider.Default, 4L * Limits.ExtentBytes, Limits.ExtentBytes);
    private readonly GrowthPolicy _policy = new(Limits.UsedOverLiveDefault);
    private readonly SegmentPool _pool;
    private int _told;

    public SegmentPoolTests()
    {
        var directory = new SegmentDirectory(_extents, RegionProvider.Default, identity: 0, Limits.SegmentBytesMin, Limits.SegmentBytesMin);
        _policy.Follow(static () => new PileVolume(0, 0, 0, Writers));
        _pool = new SegmentPool(RegionProvider.Default, directory, new MemoryBudget(64 << 20), _policy, hugePages: false, () => _told++);
    }

    public void Dispose() => _extents.Dispose();

    [Fact]
    public void TakingASegmentWhileMoreThanEnoughAreFreeTellsNobody()
    {
        Assert.Equal(Limits.CleanerReserveSegments + Limits.FreeSegmentsKept + Writers, _policy.FreeSegmentsWanted);
        List<Segment> taken = [];
        const int Spare = 4;
        for (int index = 0; index < _policy.FreeSegmentsWanted + Spare; index++)
        {
            taken.Add(_pool.TryTake(overRatio: true, recordBytes: 64)!);
            Assert.Equal(index + 1, _told);
        }

        taken.ForEach(_pool.Free);
        _told = 0;
        for (int index = 0; index < Spare; index++)
        {
            Assert.NotNull(_pool.TryTake(overRatio: true, recordBytes: 64));
        }

        Assert.Equal(0, _told);
        Assert.NotNull(_pool.TryTake(overRatio: true, recordBytes: 64));
        Assert.Equal(1, _told);
    }
}
