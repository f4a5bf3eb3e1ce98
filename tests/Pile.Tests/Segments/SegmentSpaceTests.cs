using System;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Segments;

/// <summary>A segment's space is a call of the system, for files: nobody else waits for it, and nothing is lost where it is refused.</summary>
public sealed class SegmentSpaceTests : IDisposable
{
    private const long LimitBytes = 64 << 20;
    private readonly SpacedRegions _regions = new();
    private readonly ExtentMap _extents;
    private readonly MemoryBudget _budget = new(LimitBytes);
    private readonly SegmentDirectory _directory;
    private readonly SegmentPool _pool;

    public SegmentSpaceTests()
    {
        _extents = new ExtentMap(_regions, 4L * Limits.ExtentBytes, Limits.ExtentBytes);
        _directory = new SegmentDirectory(_extents, _regions, identity: 0, Limits.SegmentBytesMin, Limits.SegmentBytesMin);
        var policy = new GrowthPolicy(RoomLimits.UsedOverLiveDefault, keptBytes: 0);
        policy.Follow(static () => new PileVolume(0, 0, 0, 0, 1));
        _pool = new SegmentPool(_regions, _directory, _budget, policy, hugePages: false, static () => { });
    }

    public void Dispose() => _extents.Dispose();

    [Fact]
    public void AWriterThatIsHereBeforeItsSegmentIsReadyTakesItAsItIs()
    {
        Segment? taken = null;
        _regions.OnPopulate = () => taken = _pool.TryTake(overRatio: true, recordBytes: 64);
        Assert.True(_pool.TryPopulateAhead(isForWriters: true));
        Assert.Equal((SegmentState.Open, 0, (long)Limits.SegmentBytesMin), (taken!.State, _pool.FreeWorth, _pool.ResidentBytes));
        _regions.OnPopulate = static () => { };
        Assert.NotEqual(taken, _pool.TryTake(overRatio: true, recordBytes: 64));
        Assert.Equal(2L * Limits.SegmentBytesMin, _budget.UsedBytes);
    }

    /// <summary>Made ready for writers by one thread, as each comes near the end of its segment.</summary>
    [Fact]
    public void WritersFindEverySegmentButTheFirstMadeReadyWhileRatioAndLimitAreFar()
    {
        const int Segments = 100;
        int made = 0;
        int found = 0;
        _regions.OnPopulate = () => made++;
        var policy = new GrowthPolicy(RoomLimits.UsedOverLiveDefault, keptBytes: 0);
        policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, 1));
        var pool = new SegmentPool(_regions, _directory, _budget, policy, hugePages: false, static () => { });
        Segment open = pool.TryTake(overRatio: false, recordBytes: 64)!;
        for (int index = 0; index < Segments; index++)
        {
            _ = pool.Extend(open, Limits.SegmentBytesMin);
            while (pool.LacksAhead)
            {
                Assert.True(pool.TryPopulateAhead(isForWriters: pool.GrowsFreely));
            }

            pool.Opened.NoteSealed(open);
            open.State = SegmentState.Sealed;
            long residentBytes = pool.ResidentBytes;
            open = pool.TryTake(overRatio: false, recordBytes: 64)!;
            found += pool.ResidentBytes == residentBytes ? 1 : 0;
        }

        Assert.Equal((Segments, Segments), (made, found));
    }

    /// <summary>Whoever makes it ready may be interrupted, or out of memory.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ASegmentWhosePagesDidNotComeIsFreeAndCanBeGivenBack(bool isForWriters)
    {
        _regions.OnPopulate = static () => throw new ThreadInterruptedException("the test wants it so");
        _ = Assert.Throws<ThreadInterruptedException>(() => _pool.TryPopulateAhead(isForWriters));
        Assert.Equal((1, (long)Limits.SegmentBytesMin), (_pool.FreeWorth, _pool.ResidentBytes));
        Assert.Equal(SegmentState.Free, _directory[0].State);

        Assert.True(_pool.TryGiveBack(keepFree: 0));
        Assert.Equal((SegmentState.Absent, 0L), (_directory[0].State, _budget.UsedBytes));
    }

    [Fact]
    public void ASegmentWhosePagesDidNotComeStaysTheWritersThatTookItMeanwhile()
    {
        Segment? taken = null;
        _regions.OnPopulate = () =>
        {
            taken = _pool.TryTake(overRatio: true, recordBytes: 64);
            throw new ThreadInterruptedException("the test wants it so");
        };
        _ = Assert.Throws<ThreadInterruptedException>(() => _pool.TryPopulateAhead(isForWriters: true));
        Assert.Equal((SegmentState.Open, 0, (long)Limits.SegmentBytesMin), (taken!.State, _pool.FreeWorth, _pool.ResidentBytes));
        _regions.OnPopulate = static () => { };
        Assert.True(_pool.TryPopulateAhead(isForWriters: true));
        Assert.NotSame(taken, _pool.TryTake(overRatio: true, recordBytes: 64));
    }

    [Fact]
    public void ASegmentMadeReadyForTheCleanerIsNoWriters()
    {
        Segment? taken = null;
        _regions.OnPopulate = () => taken = _pool.TryTake(overRatio: true, recordBytes: 64);
        Assert.True(_pool.TryPopulateAhead());
        Assert.Equal((1, 2L * Limits.SegmentBytesMin), (_pool.FreeWorth, _pool.ResidentBytes));
        Assert.NotNull(taken);
    }

    [Fact]
    public void ASegmentIsNotGivenBackWhileItsPagesCome()
    {
        OwnThread? giving = null;
        bool isGiven = false;
        _regions.OnPopulate = () =>
        {
            _pool.Free(_pool.TryTake(overRatio: true, recordBytes: 64)!);
            giving = OwnThread.Start(() => isGiven = _pool.TryGiveBack(keepFree: 0));
            Assert.True(SpinWait.SpinUntil(() => _pool.FreeWorth == 0, TimeSpan.FromMinutes(1)));
            Assert.False(SpinWait.SpinUntil(() => _directory[0].State == SegmentState.Absent, TimeSpan.FromMilliseconds(20)));
        };
        Assert.True(_pool.TryPopulateAhead(isForWriters: true));
        giving!.Join();
        Assert.True(isGiven);
        Assert.Equal((SegmentState.Absent, 0L), (_directory[0].State, _budget.UsedBytes));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void OthersTakeAndGiveSegmentsBackMeanwhile(bool isForCleaner)
    {
        Segment first = _pool.TryTake(overRatio: true, recordBytes: 64)!;
        Segment? second = null;
        bool? isEnded = null;
        _regions.OnAllocate = asked =>
        {
            Assert.Equal(isForCleaner, asked);
            _regions.OnAllocate = static _ => true;
            var other = new Thread(() =>
            {
                _pool.Free(first);
                second = _pool.TryTakeForCleaner(mayPass: false);
            });
            other.Start();
            isEnded = other.Join(TimeSpan.FromSeconds(30));
            return true;
        };
        Segment? third = isForCleaner ? _pool.TryTakeForCleaner(mayPass: false) : _pool.TryTake(overRatio: true, recordBytes: 64);
        Assert.True(isEnded, "whoever took another segment waited for this one's space");
        Assert.Same(first, second);
        Assert.NotNull(third);
        Assert.NotSame(first, third);
        Assert.NotEqual(second!.Sequence, third.Sequence);
        Assert.Equal(2L * Limits.SegmentBytesMin, _pool.ResidentBytes);
    }

    [Fact]
    public void WhatGetsNoSpaceIsAbsentAgain()
    {
        Segment first = _pool.TryTake(overRatio: true, recordBytes: 64)!;
        (long resident, long used) = (_pool.ResidentBytes, _budget.UsedBytes);
        _regions.OnAllocate = static _ => false;
        Assert.Null(_pool.TryTake(overRatio: true, recordBytes: 64));
        Assert.Null(_pool.TryTakeToDelete(64));
        Assert.Null(_pool.TryTakeForCleaner(mayPass: false));
        Assert.False(_pool.TryPopulateAhead());
        Assert.Equal((resident, used), (_pool.ResidentBytes, _budget.UsedBytes));
        _regions.OnAllocate = static _ => true;
        Segment second = _pool.TryTake(overRatio: true, recordBytes: 64)!;
        Assert.Equal(first.Index + 1, second.Index);
        Assert.Equal(first.Sequence + 1, second.Sequence);
    }
}
