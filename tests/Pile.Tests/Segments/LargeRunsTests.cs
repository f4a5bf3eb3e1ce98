using System;
using System.Linq;
using Pile.Epochs;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

public sealed class LargeRunsTests : IDisposable
{
    private readonly ExtentMap _extents = new(RegionProvider.Default, 1L << 30, Limits.ExtentBytes);
    private readonly MemoryBudget _budget = new(256 << 20);
    private readonly EpochDomain _epochs = new(TimeProvider.System);
    private readonly LargeRuns _runs;

    public LargeRunsTests()
    {
        _runs = new LargeRuns(_extents, RegionProvider.Default, _budget, _epochs, new FlushClock(isWaitedFor: false));
    }

    public void Dispose()
    {
        _extents.Dispose();
        _epochs.ReleaseId();
    }

    [Fact]
    public void ARunIsCountedInWholePagesAndGoesBackWhole()
    {
        Assert.True(_runs.TryTake(Limits.OsPageBytes + 1, out long location));
        Assert.Equal(2 * Limits.OsPageBytes, _runs.UsedBytes);
        Assert.Equal(_runs.UsedBytes, _budget.UsedBytes);
        Assert.Equal(1, _runs.Objects);
        Assert.True(_runs.IsRun(location, Limits.OsPageBytes + 1));

        _runs.Free(location, Limits.OsPageBytes + 1);

        Assert.Equal(0, _runs.UsedBytes);
        Assert.Equal(0, _runs.Objects);
        Assert.Equal(_runs.FreeResidentBytes, _budget.UsedBytes);
        _runs.Trim(keepBytes: 0);
        Assert.Equal(0, _budget.UsedBytes);
        Assert.False(_runs.IsRun(location, 1));
    }

    /// <summary>An entry was swung away by then: what can't be noted any more would be lost.</summary>
    [Fact]
    public void ARunIsRetiredWithoutMemoryForIt()
    {
        long[] locations = new long[100];
        for (int index = 0; index < locations.Length; index++)
        {
            Assert.True(_runs.TryTake(5000, out locations[index]));
        }

        // The first call of it is compiled by itself.
        _runs.Retire(locations[0], 5000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int index = 1; index < locations.Length; index++)
        {
            _runs.Retire(locations[index], 5000);
        }

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.Equal(_runs.UsedBytes, _runs.RetiredBytes);
    }

    [Fact]
    public void ARunLargerThanAnExtentTakesSeveralInARow()
    {
        int bytes = (2 * Limits.ExtentBytes) + 5;

        Assert.True(_runs.TryTake(bytes, out long location));
        Span<byte> stored = _extents.Space.Bytes(location, 0, bytes);
        stored[0] = 1;
        stored[^1] = 2;
        Assert.Equal((1, 2), (stored[0], stored[^1]));
        Assert.True(_runs.IsRun(location, bytes));
    }

    [Fact]
    public void ARunBeyondTheLimitIsRefusedAndNothingIsCounted()
    {
        _budget.LimitBytes = 1 << 20;

        Assert.False(_runs.TryTake((1 << 20) + 1, out _));
        _budget.ReserveBytes = static () => 1;
        Assert.False(_runs.TryTake(1 << 20, out _));
        Assert.Equal(0, _budget.UsedBytes);
        _budget.ReserveBytes = static () => 0;
        Assert.True(_runs.TryTake(1 << 20, out _));
    }

    [Fact]
    public void ARetiredRunWaitsForReadersAndForPins()
    {
        Assert.True(_runs.TryTake(5000, out long location));
        EpochLine line = EpochLine.Current;
        long outer = line.Enter(_epochs.IdWord);
        _runs.NotePublished(5000);
        _runs.Pin(location);
        _runs.Pin(location);
        _runs.Retire(location, 5000);

        Assert.Equal(0, _runs.Reclaim(waitMs: 0));
        line.Leave(outer);
        Assert.Equal(0, _runs.Reclaim(waitMs: 0));
        _runs.Unpin(location);
        Assert.Equal(0, _runs.Reclaim(waitMs: 0));
        Assert.Equal(8192, _runs.RetiredBytes);
        _runs.Unpin(location);
        Assert.Equal(8192, _runs.Reclaim(waitMs: 0));
        Assert.Equal(0, _runs.RetiredBytes);
        Assert.Equal((0, _runs.FreeResidentBytes, 0), _runs.Recount());
    }

    [Fact]
    public void OneReclaimFreesWhatWasRetiredAfterTheAwaitedEpochBeganToo()
    {
        Assert.True(_runs.TryTake(5000, out long first));
        Assert.True(_runs.TryTake(5000, out long second));
        EpochLine line = EpochLine.Current;
        long outer = line.Enter(_epochs.IdWord);
        _runs.Retire(first, 5000);
        Assert.Equal(0, _runs.Reclaim(waitMs: 0));
        _runs.Retire(second, 5000);
        line.Leave(outer);

        Assert.Equal(2 * 8192, _runs.Reclaim(waitMs: 0));
    }

    [Fact]
    public void ARunThatTheBudgetRefusesInOneExtentIsTakenFromTheResidentPagesOfAnother()
    {
        const int Mebi = 1 << 20;
        Assert.True(_runs.TryTake(63 * Mebi, out long large));
        Assert.True(_runs.TryTake(Mebi, out _));
        Assert.True(_runs.TryTake(Mebi, out long other));
        _runs.Free(large, 63 * Mebi);
        _runs.Trim(keepBytes: 0);
        _runs.Free(other, Mebi);
        Assert.Equal(Mebi, _runs.FreeResidentBytes);
        _budget.LimitBytes = _budget.UsedBytes;

        Assert.True(_runs.TryTake(Mebi, out long again));
        Assert.Equal(other, again);
    }

    [Fact]
    public void WhereTwoRunsOverlapNoPageIsGivenOutOrFreed()
    {
        int row = _extents.TryMap(1, 0, Limits.ExtentShiftWords, out Region region);
        _runs.RestoreExtent(row, region);
        long first = ExtentMap.FirstLocation(row);
        const int Bytes = 5 * Limits.OsPageBytes;
        long second = first + (3 * Limits.OsPageBytes / Limits.WordBytes);
        Assert.True(_runs.TryRestoreRun(first, Bytes));
        Assert.False(_runs.TryRestoreRun(second, Bytes));

        // One of the two has bytes of the other: neither may lose its pages, whichever goes first.
        _runs.Retire(first, Bytes);
        _ = _runs.Reclaim(waitMs: 0);
        _runs.Trim(keepBytes: 0);
        Assert.Equal(0, _runs.RetiredBytes);
        Assert.True(_runs.IsRun(first, Bytes));
        Assert.Equal(0, _runs.FreeResidentBytes);
        Assert.True(_runs.TryTake(Bytes, out long other));
        Assert.False(other >> Limits.ExtentShiftWords == row, "pages of the extent were given out");
        _runs.NotePublished(Bytes);
        Assert.Equal((2L * Bytes, 2L * Bytes, (long)Bytes), _runs.Recount());
    }

    /// <summary>Objects that are updated all the time, and whose former pages each flush frees together: the updates until the next flush take these again, and
    /// neither they nor the flush ask the system for each.</summary>
    [Fact]
    public void WhatAFlushFreesIsKeptForTheUpdatesUntilTheNextOne()
    {
        const int Objects = 64;
        const int Bytes = 100_000;
        _budget.LimitBytes = 128 << 20;
        using var extents = new ExtentMap(RegionProvider.Default, 1L << 30, Limits.ExtentBytes);
        var provider = new CountedReturns();
        var flushes = new FlushClock(isWaitedFor: true);
        var runs = new LargeRuns(extents, provider, _budget, _epochs, flushes);
        long[] locations = [.. Enumerable.Range(0, Objects).Select(_ => Take())];
        int returnsAtFirst = 0;
        for (int flush = 0; flush < 20; flush++)
        {
            for (int index = 0; index < Objects; index++)
            {
                long former = locations[index];
                locations[index] = Take();
                runs.Retire(former, Bytes);
            }

            flushes.Complete(flushes.Begin());
            flushes.Complete(flushes.Begin());
            Assert.Equal(Objects * LargeRuns.RunBytes(Bytes), runs.Reclaim(waitMs: 1000));
            returnsAtFirst = flush == 1 ? provider.Returns : returnsAtFirst;
        }

        Assert.Equal(returnsAtFirst, provider.Returns);
        Assert.Equal(Objects * LargeRuns.RunBytes(Bytes), runs.FreeResidentBytes);

        // Nothing is updated any more: what is kept is what is kept always.
        Assert.Equal(0, runs.Reclaim(waitMs: 0));
        Assert.Equal(LargeThresholds.FreeBytesKept(_budget.LimitBytes, runs.UsedBytes, 0), runs.FreeResidentBytes);
        Assert.Equal((runs.UsedBytes, runs.UsedBytes + runs.FreeResidentBytes, 0), runs.Recount());

        long Take()
        {
            Assert.True(runs.TryTake(Bytes, out long location));
            runs.NotePublished(Bytes);
            return location;
        }
    }

    [Fact]
    public void WhatIsRetiredBeforeAllRunsAreKnownIsFreedAfterwards()
    {
        Assert.True(_runs.TryTake(5000, out long location));
        _runs.NotePublished(5000);
        _runs.AwaitsCount = true;
        _runs.Retire(location, 5000);
        Assert.Equal(0, _runs.Reclaim(waitMs: 0));
        _runs.AwaitsCount = false;
        Assert.Equal(8192, _runs.Reclaim(waitMs: 0));
    }

    [Fact]
    public void ARunThatStandsInTheFilesIsCountedAboveTheLimitToo()
    {
        int row = _extents.TryMap(1, 0, Limits.ExtentShiftWords, out Region region);
        _runs.RestoreExtent(row, region);
        _budget.LimitBytes = 1 << 20;

        Assert.True(_runs.TryRestoreRun(ExtentMap.FirstLocation(row), 2 << 20));
        Assert.Equal(2 << 20, _budget.UsedBytes);
        Assert.False(_runs.TryTake(5000, out _));
    }

    private sealed class CountedReturns : RegionProvider
    {
        internal int Returns { get; private set; }

        internal override bool ReservesFreely => Default.ReservesFreely;

        internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

        internal override bool TryReserve(long bytes, long alignmentBytes, out Region region) => Default.TryReserve(bytes, alignmentBytes, out region);

        internal override bool TryOpen(in Region region, long offset, long bytes) => Default.TryOpen(region, offset, bytes);

        internal override void Unmap(in Region region) => Default.Unmap(region);

        internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

        internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

        internal override bool TryGiveBack(in Region region, long offset, long bytes)
        {
            Returns++;
            return Default.TryGiveBack(region, offset, bytes);
        }
    }
}
