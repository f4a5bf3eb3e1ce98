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
    private readonly GrowthPolicy _policy = new(RoomLimits.UsedOverLiveDefault, keptBytes: 0);
    private readonly MemoryBudget _budget = new(64 << 20);
    private readonly SegmentPool _pool;
    private int _told;

    public SegmentPoolTests()
    {
        var directory = new SegmentDirectory(_extents, RegionProvider.Default, identity: 0, Limits.SegmentBytesMin, Limits.SegmentBytesMin);
        _policy.Follow(static () => new PileVolume(0, 0, 0, 0, Writers));
        _pool = new SegmentPool(RegionProvider.Default, directory, _budget, _policy, hugePages: false, () => _told++);
    }

    public void Dispose() => _extents.Dispose();

    [Fact]
    public void TakingASegmentWhileMoreThanEnoughAreFreeTellsNobody()
    {
        Assert.Equal(RoomLimits.CleanerReserveSegments + RoomLimits.FreeSegmentsKept + Writers, _policy.FreeSegmentsWanted);
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

    /// <summary>Writers leave them to the cleaner, whose reserve goes by bytes: were they counted as enough, no segment would be ready for a writer ever again.</summary>
    [Fact]
    public void SmallSegmentsThatAreFreeAreNotEnoughForAPileThatHasGrown()
    {
        var directory = new SegmentDirectory(_extents, RegionProvider.Default, identity: 0, Limits.SegmentBytesMin, 16 * Limits.SegmentBytesMin);
        var pool = new SegmentPool(RegionProvider.Default, directory, _budget, _policy, hugePages: false, () => _told++) { HoldsReserve = true };
        _policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, Writers));
        List<Segment> small = [];
        while (pool.NextSegmentBytes < 2 * Limits.SegmentBytesMin)
        {
            Segment? taken = pool.TryTake(overRatio: false, recordBytes: 64);
            Assert.NotNull(taken);
            if (small.Count < _policy.FreeSegmentsWanted + 2)
            {
                small.Add(taken);
            }
        }

        small.ForEach(pool.Free);
        Assert.InRange(pool.FreeWorth, 0, _policy.FreeSegmentsWanted - 1);
        while (pool.FreeWorth < _policy.FreeSegmentsWanted)
        {
            Assert.True(pool.TryPopulateAhead());
        }

        long resident = pool.ResidentBytes;
        _told = 0;
        Assert.NotNull(pool.TryTake(overRatio: false, recordBytes: 64));
        Assert.Equal((resident, 1), (pool.ResidentBytes, _told));
    }

    [Fact]
    public void FarFromRatioAndLimitOneSegmentIsMadeReadyAsAWritersEnds()
    {
        _policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, Writers));
        const int Mark = Limits.SegmentBytesMin - (Limits.SegmentBytesMin / RoomLimits.SegmentEndFraction);
        Segment open = _pool.TryTake(overRatio: false, recordBytes: 64)!;
        Assert.Equal(Mark, _pool.Extend(open, 64));
        Assert.Equal((0, false), (_told, _pool.LacksAhead));

        Assert.Equal(Limits.SegmentBytesMin, _pool.Extend(open, Mark + 64));
        Assert.Equal((1, true), (_told, _pool.LacksAhead));
        Assert.Equal(Limits.SegmentBytesMin, _pool.Extend(open, Mark + 128));
        Assert.Equal(1, _told);

        long keep = _pool.KeepBytes;
        Assert.True(_pool.TryPopulateAhead(isForWriters: true));
        Assert.Equal((1, false, keep), (_pool.FreeWorth, _pool.LacksAhead, _pool.KeepBytes));
        Segment next = _pool.TryTake(overRatio: false, recordBytes: 64)!;
        Assert.Equal((0, keep), (_pool.FreeWorth, _pool.KeepBytes));
        Assert.Equal(2 * Limits.SegmentBytesMin, _pool.ResidentBytes);
        Assert.Equal(Mark, _pool.Extend(next, 64));
    }

    [Fact]
    public void AWriterThatEndsWhileSegmentsAreReadyTellsNobody()
    {
        _policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, Writers));
        Assert.True(_pool.TryPopulateAhead(isForWriters: true));
        Assert.True(_pool.TryPopulateAhead(isForWriters: true));
        Segment open = _pool.TryTake(overRatio: false, recordBytes: 64)!;
        Assert.Equal(Limits.SegmentBytesMin, _pool.Extend(open, Limits.SegmentBytesMin));
        Assert.Equal((0, true), (_told, open.IsEnding));

        Segment next = _pool.TryTake(overRatio: false, recordBytes: 64)!;
        Assert.Equal(Limits.SegmentBytesMin, _pool.Extend(next, Limits.SegmentBytesMin));
        Assert.Equal((1, 0), (_told, _pool.FreeWorth));
    }

    [Fact]
    public void AWriterThatEndsWhileEnoughAreFreeTellsNobody()
    {
        List<Segment> taken = [];
        const int Spare = 4;
        for (int index = 0; index < _policy.FreeSegmentsWanted + Spare; index++)
        {
            taken.Add(_pool.TryTake(overRatio: true, recordBytes: 64)!);
        }

        taken.ForEach(_pool.Free);
        _told = 0;
        for (int left = Spare; left > 0; left--)
        {
            Assert.Equal(Limits.SegmentBytesMin, _pool.Extend(_pool.TryTake(overRatio: true, recordBytes: 64)!, Limits.SegmentBytesMin));
        }

        Assert.Equal(0, _told);
    }

    [Fact]
    public void WhatWritersTakeLeavesTheCleanerItsReserveUpToTheLimit()
    {
        _policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, Writers));
        while (_pool.TryTake(overRatio: true, recordBytes: 64) is { } open)
        {
            _ = _pool.Extend(open, Limits.SegmentBytesMin);
            while (_pool.LacksAhead && _pool.TryPopulateAhead(isForWriters: _pool.GrowsFreely))
            {
            }
        }

        Assert.False(_pool.GrowsFreely);
        for (int index = 0; index < RoomLimits.CleanerReserveSegments; index++)
        {
            Assert.NotNull(_pool.TryTakeForCleaner(mayPass: false));
        }

        Assert.Null(_pool.TryTakeForCleaner(mayPass: false));
    }

    /// <summary>Its writer is about to write elsewhere, and nothing takes that back.</summary>
    [Fact]
    public void ASegmentIsSealedWithoutMemoryForIt()
    {
        _pool.Opened.NotesSealed = true;
        List<Segment> open = [];
        for (int index = 0; index < 100; index++)
        {
            open.Add(_pool.TryTake(overRatio: true, recordBytes: 64)!);
        }

        // The first call of it is compiled by itself.
        _pool.Opened.NoteSealed(open[0]);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int index = 1; index < open.Count; index++)
        {
            _pool.Opened.NoteSealed(open[index]);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        List<Segment> taken = [];
        _pool.Opened.TakeSealed(taken);
        Assert.Equal(open, taken);
    }

    /// <summary>Nothing refers to it any more, and nobody would find it again.</summary>
    [Fact]
    public void ASegmentIsFreedWithoutMemoryForIt()
    {
        List<Segment> taken = [];
        for (int index = 0; index < 600; index++)
        {
            taken.Add(_pool.TryTake(overRatio: true, recordBytes: 64)!);
        }

        // The first call of it is compiled by itself.
        _pool.Free(taken[0]);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int index = 1; index < taken.Count; index++)
        {
            _pool.Free(taken[index]);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.Equal(taken.Count, _pool.FreeWorth);
    }

    /// <summary>Who leaves the budget what the cleaner needs has seen how much that is before it takes its own.</summary>
    [Fact]
    public void WhatIsTakenBesideTheReserveAsItBecomesTheWritersIsNotTheCleaners()
    {
        for (int index = 0; index < RoomLimits.CleanerReserveSegments; index++)
        {
            Assert.True(_pool.TryPopulateAhead());
        }

        long keep = _pool.KeepBytes;
        Assert.Equal(0, keep);
        _policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, Writers));
        Segment first = _pool.TryTake(overRatio: false, recordBytes: 64)!;
        Assert.Equal(RoomLimits.CleanerReserveSegments * Limits.SegmentBytesMin, _pool.KeepBytes);
        Assert.True(_budget.TryTake(_budget.FreeBytes, keep));

        Assert.Null(_pool.TryTake(overRatio: true, recordBytes: 64));
        Assert.Equal(2, _pool.FreeWorth);
        Assert.Equal(Limits.SegmentBytesMin, first.Bytes);
    }

    [Fact]
    public void WhereTheReserveIsHeldItStaysResident()
    {
        _policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, Writers));
        _pool.HoldsReserve = true;
        for (int index = 0; index <= RoomLimits.CleanerReserveSegments; index++)
        {
            Assert.True(_pool.TryPopulateAhead());
        }

        Assert.NotNull(_pool.TryTake(overRatio: false, recordBytes: 64));
        Assert.NotNull(_pool.TryTake(overRatio: false, recordBytes: 64));
        Assert.Equal(RoomLimits.CleanerReserveSegments, _pool.FreeWorth);
    }

    [Fact]
    public void WhatIsFreeBecomesTheWritersOnceRatioAndLimitAreFar()
    {
        Assert.True(_pool.TryPopulateAhead());
        Assert.Equal((1, (RoomLimits.CleanerReserveSegments - 1) * Limits.SegmentBytesMin), (_pool.FreeWorth, (int)_pool.KeepBytes));
        _policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, Writers));
        Assert.NotNull(_pool.TryTake(overRatio: false, recordBytes: 64));
        Assert.Equal((0, RoomLimits.CleanerReserveSegments * Limits.SegmentBytesMin), (_pool.FreeWorth, (int)_pool.KeepBytes));
    }

    [Fact]
    public void ALimitLoweredWhileAWriterTakesASegmentLeavesTheCleanerItsReserve()
    {
        for (int index = 0; index < RoomLimits.CleanerReserveSegments; index++)
        {
            Assert.True(_pool.TryPopulateAhead());
        }

        int asked = 0;
        _policy.Follow(() =>
        {
            // Between the look at the limit and what is made of it.
            if (++asked == 2)
            {
                _pool.SetLimit(_budget.UsedBytes);
            }

            return new PileVolume(1 << 30, 0, 0, 0, Writers);
        });
        Assert.Null(_pool.TryTake(overRatio: true, recordBytes: 64));
        Assert.Equal((RoomLimits.CleanerReserveSegments, 0), (_pool.FreeWorth, (int)_pool.KeepBytes));
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(Limits.SegmentBytesMin - 8, 1)]
    [InlineData(2 * Limits.SegmentBytesMin, 2)]
    [InlineData(3 * Limits.SegmentBytesMin, 3)]
    public void ALimitLoweredIntoTheCleanersReserveIsPassedByOneSegmentUntilThatHasItsRoom(int aboveUsed, int available)
    {
        Segment used = _pool.TryTake(overRatio: true, recordBytes: 64)!;
        Segment other = _pool.TryTake(overRatio: true, recordBytes: 64)!;
        _pool.SetLimit(_budget.UsedBytes + aboveUsed);
        Assert.Equal(available * Limits.SegmentBytesMin, _pool.AvailableForCleaner(mayPass: true));
        Assert.Equal(aboveUsed / Limits.SegmentBytesMin * Limits.SegmentBytesMin, _pool.AvailableForCleaner(mayPass: false));
        for (int index = 0; index < available; index++)
        {
            Assert.NotNull(_pool.TryTakeForCleaner(mayPass: true));
        }

        Assert.InRange(_budget.UsedBytes, 0, _budget.LimitBytes + Limits.SegmentBytesMin);
        Assert.Null(_pool.TryTakeForCleaner(mayPass: false));

        _pool.Free(used);
        _pool.Free(other);
        Assert.Equal(2 * Limits.SegmentBytesMin, _pool.AvailableForCleaner(mayPass: false));
    }
}
