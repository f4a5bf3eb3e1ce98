using System;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;
using Xunit;

namespace Pile.Tests.Cleaning;

public sealed class RetiredSegmentsTests : IDisposable
{
    private readonly RowRegions _regions = new();
    private readonly MemoryBudget _budget = new(64 << 20);
    private readonly EpochDomain _epochs = new(TimeProvider.System);
    private readonly ExtentMap _extents;
    private readonly ObjectTable _table;
    private readonly SlotPool _slots;
    private readonly SegmentPool _pool;
    private readonly RetiredSegments<MemoryRecord> _retired;
    private readonly FlushClock _clock;

    public RetiredSegmentsTests()
    {
        _extents = new ExtentMap(_regions, 4L * Limits.ExtentBytes, Limits.ExtentBytes);
        var directory = new SegmentDirectory(_extents, _regions, identity: 0, Limits.SegmentBytesMin, Limits.SegmentBytesMin);
        var policy = new GrowthPolicy(RoomLimits.UsedOverLiveDefault, keptBytes: 0);
        policy.Follow(static () => new PileVolume(0, 0, 0, 0, 1));
        _pool = new SegmentPool(_regions, directory, _budget, policy, hugePages: false, static () => { });
        _table = new ObjectTable(_regions, Limits.TablePageSlots);
        _slots = new SlotPool(_regions, _table, _budget);
        _clock = new FlushClock(isWaitedFor: true);
        _retired = new RetiredSegments<MemoryRecord>(_epochs, new WriterSet<MemoryRecord>(directory, _pool, _table, _slots, new LogContext(0, _clock), 1), _pool, _clock);
    }

    public void Dispose()
    {
        _slots.Dispose();
        _table.Dispose();
        _extents.Dispose();
        _epochs.ReleaseId();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void NoSegmentIsFreedTwiceWhenTheReturnOfOneThrows(int throwsAt)
    {
        for (int index = 0; index < 3; index++)
        {
            Segment segment = _pool.TryTake(overRatio: true, recordBytes: 64)!;
            segment.State = SegmentState.Sealed;
            _retired.Add([segment]);
        }

        Flush();
        _regions.ThrowsAt = throwsAt;
        Assert.Throws<InsufficientMemoryException>(() => _retired.Reclaim());
        _regions.ThrowsAt = -1;
        Assert.Equal((throwsAt, 3 - throwsAt), (_pool.FreeWorth, _retired.Count));

        // One that was returned may be in use again.
        Segment? again = throwsAt > 0 ? _pool.TryTakeForCleaner(mayPass: false) : null;
        Assert.Equal(3 - throwsAt, _retired.Reclaim());
        Assert.Equal(0, _retired.Count);
        Assert.Equal(again is null ? 3 : 2, _pool.FreeWorth);
        Assert.NotEqual(SegmentState.Free, again?.State);
        Assert.Equal(3L * Limits.SegmentBytesMin, _pool.ResidentBytes);
    }

    /// <summary>Who enters once the epoch has ended is not waited for: it must see that the segment is in use no more.</summary>
    [Fact]
    public void SegmentsSayThatTheyAreRetiredBeforeTheirEpochEnds()
    {
        Segment[] segments = [_pool.TryTake(overRatio: true, recordBytes: 64)!, _pool.TryTake(overRatio: true, recordBytes: 64)!];
        foreach (Segment segment in segments)
        {
            segment.State = SegmentState.Sealed;
        }

        var victims = new Victims();
        victims.Offer(segments[0], liveBytes: 0, age: 0);
        long epoch = _epochs.Epoch;
        foreach (Action<int> add in (Action<int>[])[index => _retired.Add(victims, 1), index => _retired.Add([segments[index]])])
        {
            int index = Array.FindIndex(segments, static segment => segment.State == SegmentState.Sealed);
            OwnThread adding;
            lock (_epochs.Gate)
            {
                adding = OwnThread.Start(() => add(index));
                Assert.True(adding.Waits(TimeSpan.FromMinutes(1)));
                Assert.Equal((SegmentState.Retired, epoch), (segments[index].State, _epochs.Epoch));
            }

            adding.Join();
            Assert.Equal(++epoch, _epochs.Epoch);
        }

        Assert.Equal(2, _retired.Count);
    }

    [Fact]
    public void WhatWaitsForAFlushAsksForOneUntilItRuns()
    {
        int asked = 0;
        _clock.Wanted = () => asked++;
        Segment segment = _pool.TryTake(overRatio: true, recordBytes: 64)!;
        segment.State = SegmentState.Sealed;
        _retired.Add([segment]);

        Assert.Equal(0, _retired.Reclaim());
        Assert.Equal((1, (long)Limits.SegmentBytesMin), (asked, _retired.Bytes));

        long flush = _clock.Begin();
        Assert.Equal(0, _retired.Reclaim());
        Assert.Equal(1, asked);

        _clock.Complete(flush);
        Assert.Equal(1, _retired.Reclaim());
        Assert.Equal((1, 0L), (asked, _retired.Bytes));
    }

    private void Flush() => _clock.Complete(_clock.Begin());

    /// <summary>Memory with rows, of which one throws when its segment is freed.</summary>
    private sealed class RowRegions : RegionProvider
    {
        internal int ThrowsAt { get; set; } = -1;

        internal override bool ReservesFreely => Default.ReservesFreely;

        internal override bool KeepsSegmentRows => true;

        internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

        internal override void Unmap(in Region region) => Default.Unmap(region);

        internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

        internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

        internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);

        internal override void WriteSegmentRow(in Region region, int index, ulong word)
        {
            if (index == ThrowsAt)
            {
                throw new InsufficientMemoryException("the test wants it so");
            }
        }
    }
}
