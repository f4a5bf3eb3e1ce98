using System;
using Pile.Format;
using Pile.Persistence;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>How an extent that is mapped by huge pages takes its space: no store may come into one whose rest has none.</summary>
public sealed class ExtentGrowthTests : IDisposable
{
    private const int SegmentBytes = 64 << 10;
    private const int HugeBytes = 2 << 20;

    /// <summary>The first segment that ends beyond the file's small pages.</summary>
    private const int FirstLarge = (2 * HugeBytes / SegmentBytes) - 1;

    private readonly StoreSample _store = new();
    private readonly PileDirectory _directory;
    private readonly ExtentFile _extent;

    public ExtentGrowthTests()
    {
        _store.Simulated.CapacityBytes = 1 << 30;
        _directory = _store.Open();
        _extent = StoreSample.Add(_directory, 1, ExtentKind.Segments);
    }

    public void Dispose()
    {
        _directory.Dispose();
        _store.Dispose();
    }

    [Fact]
    public void WithoutHugePagesASegmentTakesItsOwnSpaceAlone() => Assert.Equal(SegmentBytes, TakenBy(FirstLarge + 3));

    [Fact]
    public void InTheFirstPagesASegmentTakesItsOwnSpaceAlone()
    {
        _ = _extent.TryGrowByHugePages();
        Assert.Equal(SegmentBytes, TakenBy(0));
        Assert.Equal(SegmentBytes, TakenBy(FirstLarge - 1));
    }

    [Fact]
    public void ASegmentBehindThemTakesSpaceToTheEndOfItsHugePageAndTheNextOnesTakeNone()
    {
        _ = _extent.TryGrowByHugePages();
        for (int segment = 0; segment < FirstLarge; segment++)
        {
            Assert.Equal(SegmentBytes, TakenBy(segment));
        }

        // It begins three quarters of a segment before the huge page.
        Assert.Equal(HugeBytes + SegmentBytes - ExtentHeader.ExtentPrefixBytes, TakenBy(FirstLarge));
        for (int segment = FirstLarge + 1; segment < FirstLarge + (HugeBytes / SegmentBytes); segment++)
        {
            Assert.Equal(0, TakenBy(segment));
        }

        Assert.Equal(HugeBytes, TakenBy(FirstLarge + (HugeBytes / SegmentBytes)));
    }

    [Fact]
    public void TheLastHugePageEndsWithTheFile()
    {
        _ = _extent.TryGrowByHugePages();
        _ = TakenBy(FirstLarge);
        int last = ((64 << 20) / SegmentBytes) - 1;
        Assert.Equal(_extent.Header.FileBytes - (3L * HugeBytes), TakenBy(last));
        Assert.Equal(0, TakenBy(last));
    }

    [Fact]
    public void WhatWasGivenBackTakesItsOwnSpaceAgain()
    {
        _ = _extent.TryGrowByHugePages();
        _ = TakenBy(FirstLarge);
        Assert.True(_extent.TryPunch((FirstLarge + 1L) * SegmentBytes, 2 * SegmentBytes));
        Assert.Equal(SegmentBytes, TakenBy(FirstLarge + 1));
        Assert.Equal(SegmentBytes, TakenBy(FirstLarge + 2));
        Assert.Equal(SegmentBytes, TakenBy(FirstLarge + (2 * HugeBytes / SegmentBytes)));
    }

    [Fact]
    public void WhereTheDeviceHasNoRoomForAHugePageASegmentTakesItsOwnSpace()
    {
        _ = _extent.TryGrowByHugePages();
        _store.Simulated.CapacityBytes -= _store.Simulated.FreeBytes(_store.Path) - (3 * SegmentBytes);
        Assert.Equal(SegmentBytes, TakenBy(FirstLarge));
        Assert.Equal(SegmentBytes, TakenBy(FirstLarge + 1));
        Assert.Equal(SegmentBytes, TakenBy(FirstLarge + 2));
        Assert.False(_extent.TryAllocate((FirstLarge + 3L) * SegmentBytes, SegmentBytes));
    }

    /// <summary>Bytes that the device has less for a segment.</summary>
    private long TakenBy(int segment)
    {
        long free = _store.Simulated.FreeBytes(_store.Path);
        Assert.True(_extent.TryAllocate((long)segment * SegmentBytes, SegmentBytes));
        return free - _store.Simulated.FreeBytes(_store.Path);
    }
}
