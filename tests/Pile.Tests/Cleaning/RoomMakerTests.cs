using System;
using System.Collections.Generic;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Cleaning;

public sealed class RoomMakerTests
{
    [Fact]
    public void MemoryIsGivenBackForAnotherUseUnderTheCleanerRoleAlone()
    {
        var regions = new WatchedRegions();
        using var pile = new CheckedPile(PileOptions.Tiny with { Regions = regions, MemoryLimitBytes = 4 << 20, WritersMax = 1 });
        for (int index = 0; index < 3000; index++)
        {
            pile.It.PutBytes(new byte[1000]);
        }

        pile.It.Clear();
        regions.OnGiveBack = () => OwnThread.Start(() =>
        {
            regions.Seen++;
            if (pile.Core.Cleaner.TryEnterRole())
            {
                pile.Core.Cleaner.ExitRole();
                Assert.Fail("Memory went back and nobody had the role.");
            }
        }).Join();
        pile.It.PutBytes(new byte[3 << 20]);

        Assert.True(regions.Seen > 0);
        regions.OnGiveBack = static () => { };
    }

    [Fact]
    public void FreePagesOfLargeObjectsAreTurnedIntoATablePageWithoutGivingSegmentsBack()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 4 << 20, WritersMax = 1 });
        PilePointer large = pile.It.PutBytes(new byte[500_000]);
        int segmentsOpened = 0;
        for (int index = 0; index < Limits.TablePageSlots - 2; index++)
        {
            segmentsOpened = (int)pile.Core.Pool.Opened.Takes;
            pile.It.PutBytes(new byte[160]);
        }

        Assert.True(pile.It.Delete(large));
        _ = pile.Core.Large.Reclaim(waitMs: 0);
        Assert.True(pile.Core.Large.FreeResidentBytes > 100_000);
        pile.It.MemoryLimitBytes = long.Max(Limits.MemoryLimitMin, pile.Statistics.UsedBytes + pile.Core.Pool.KeepBytes);
        long segments = pile.Statistics.SegmentBytes;
        for (int index = 0; index < 3; index++)
        {
            pile.It.PutBytes([]);
        }

        Assert.Equal(segmentsOpened, pile.Core.Pool.Opened.Takes);
        Assert.Equal(segments, pile.Statistics.SegmentBytes);
        Assert.Equal(0, pile.Statistics.Refusals);
        Assert.Equal(1, pile.Statistics.RoomWaits);
    }

    /// <summary>Between two looks of a caller a flush may free what waited for it: then there is room.</summary>
    [Fact]
    public void WhatAFlushFreesWhileACallerAsksForItIsRoomAndNoReasonToRefuse()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 4 << 20, FlushInterval = TimeSpan.FromHours(1), BackgroundCleaning = false });
        HeapCore<DurableRecord> core = pile.Durable!.Core;
        core.Log.Flushes.Wanted = static () => { };
        List<PilePointer> pointers = [];
        while (pile.TryPutBytes(new byte[40_000], out PilePointer pointer) == PileStatus.Ok)
        {
            pointers.Add(pointer);
        }

        pointers[..20].ForEach(pointer => Assert.True(pile.Delete(pointer)));
        Assert.True(core.Large.RetiredBytes >= 20 * 40_000);
        int flushes = 0;
        core.Log.Flushes.Wanted = () =>
        {
            flushes++;
            pile.Commit();
            Assert.True(core.Large.Reclaim(waitMs: 0) > 0);
        };

        Assert.Equal(PileStatus.Ok, pile.TryPutBytes(new byte[40_000], out _));
        Assert.Equal(1, flushes);
        core.Log.Flushes.Wanted = static () => { };
    }

    /// <summary>A pile whose older segments are smaller than its later ones: three small ones that are free do not hold what lives in a large one.</summary>
    [Fact]
    public void ThreeSmallSegmentsThatAreFreeAreNoReserveForLargeOnes()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { SegmentBytesMax = Limits.SegmentBytesMax, MemoryLimitBytes = 96 << 20, WritersMax = 1, SlotsMax = 1 << 16 });
        List<PilePointer> pointers = [];
        while (pile.It.TryPutBytes(new byte[2000], out PilePointer pointer) == PileStatus.Ok)
        {
            pointers.Add(pointer);
        }

        // All that stands in the first few small segments, so that small ones are what is free; and then as much again is put.
        int small = 8 * (Limits.SegmentBytesMin / 2008);
        pointers[..small].ForEach(pointer => Assert.True(pile.It.Delete(pointer)));
        while (pile.It.TryPutBytes(new byte[2000], out _) == PileStatus.Ok)
        {
        }

        // Of what stands in large segments every eighth.
        int deleted = 0;
        for (int index = pointers.Count * 3 / 4; index < pointers.Count; index += 8, deleted++)
        {
            Assert.True(pile.It.Delete(pointers[index]));
        }

        int put = 0;
        while (pile.It.TryPutBytes(new byte[2000], out _) == PileStatus.Ok)
        {
            put++;
        }

        Assert.InRange(put, deleted / 2, int.MaxValue);
    }

    [Fact]
    public void AFullForWantOfSlotsDoesNotBlameTheMemoryLimit()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { SlotsMax = 1000, WritersMax = 1 });
        while (pile.It.TryPut(1, out _, out _))
        {
        }

        PileFullException failure = Assert.Throws<PileFullException>(() => pile.It.Put(1));

        Assert.Contains("SlotsMax = 1,000", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("MemoryLimitBytes", failure.Message, StringComparison.Ordinal);
        Assert.Equal(1000, pile.Statistics.Objects);
    }

    [Fact]
    public void ACallThatTriesOftenIsOneWaitAndAFullInsideALeaseIsARefusal()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 1 << 20, WritersMax = 1 });
        PilePointer pointer = pile.It.PutBytes(new byte[1000]);
        while (pile.It.TryPut(new byte[1000], out _, out _))
        {
        }

        long waits = pile.Statistics.RoomWaits;
        Assert.Equal(1, pile.Statistics.Refusals);
        Assert.False(pile.It.TryPut(new byte[16_000], out _, out _));
        Assert.Equal(waits + 1, pile.Statistics.RoomWaits);
        using (pile.It.Lease(pointer))
        {
            Assert.False(pile.It.TryPut(new byte[16_000], out _, out _));
        }

        Assert.Equal((3, waits + 1), (pile.Statistics.Refusals, pile.Statistics.RoomWaits));
    }

    private sealed class WatchedRegions : RegionProvider
    {
        internal Action OnGiveBack { get; set; } = static () => { };

        internal int Seen { get; set; }

        internal override bool ReservesFreely => Default.ReservesFreely;

        internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

        internal override void Unmap(in Region region) => Default.Unmap(region);

        internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

        internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

        internal override bool TryGiveBack(in Region region, long offset, long bytes)
        {
            OnGiveBack();
            return Default.TryGiveBack(region, offset, bytes);
        }
    }
}
