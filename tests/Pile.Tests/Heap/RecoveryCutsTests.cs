using System;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>After a power cut the space of all segments is taken again before anything is stored: a hole in one would end the process at the store that meets it.</summary>
public sealed class RecoveryCutsTests
{
    private const int SegmentBytes = 4 * FileLimits.FillBytes;
    private const int HoleBytes = 2 * FileLimits.FillBytes;

    [Fact]
    public void WhatTheCutTookOfASegmentsSpaceIsTakenAgain()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        PilePointer[] there = StoreIntoThree(pile);
        using SimulatedFiles whole = files.PowerCut(new Random(1));
        using SimulatedFiles holed = files.PowerCut(new Random(1));
        Punch(holed);

        Assert.Equal(whole.FreeBytes("/pile") + HoleBytes, holed.FreeBytes("/pile"));
        using ObjectPile first = Open(whole);
        using ObjectPile second = Open(holed);
        Assert.Equal(whole.FreeBytes("/pile"), holed.FreeBytes("/pile"));
        AssertThere(second, there);
    }

    [Fact]
    public void WithoutRoomForItTheOpenIsRefusedAndTheNextOneFindsAllOfIt()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        PilePointer[] there = StoreIntoThree(pile);
        using SimulatedFiles cut = files.PowerCut(new Random(1));
        Punch(cut);

        // Room for the table, not for the hole.
        cut.CapacityBytes -= cut.FreeBytes("/pile") - (HoleBytes - Limits.OsPageBytes);
        PileFullException failure = Assert.Throws<PileFullException>(() => Open(cut));
        Assert.Contains("segments", failure.Message, StringComparison.Ordinal);
        Assert.Contains("/pile", failure.Message, StringComparison.Ordinal);

        cut.CapacityBytes = 1L << 30;
        using ObjectPile opened = Open(cut);
        AssertThere(opened, there);
    }

    private static PilePointer[] StoreIntoThree(ObjectPile pile)
    {
        PilePointer[] stored = [.. Enumerable.Range(0, SegmentBytes * 9 / 4 / 2048).Select(index => pile.PutBytes(Content(index)))];
        pile.Commit();
        return stored;
    }

    // The end of the third segment, where nothing was stored.
    private static void Punch(SimulatedFiles files)
    {
        using StoreFile file = files.Open("/pile/extents/00000001", FileOpening.OpenExisting);
        Assert.True(file.TryPunch(ExtentHeader.ExtentPrefixBytes + (3L * SegmentBytes) - HoleBytes, HoleBytes));
    }

    private static void AssertThere(ObjectPile pile, PilePointer[] there)
    {
        Assert.All(there, (pointer, index) => Assert.Equal(Content(index), pile.Get<byte[]>(pointer)));
        Assert.Empty(pile.Verify().Findings);
    }

    private static byte[] Content(int index) => [.. Enumerable.Repeat((byte)index, 2000)];

    private static ObjectPile Open(SimulatedFiles files)
    {
        files.CapacityBytes = long.Min(files.CapacityBytes, 1L << 30);
        return ObjectPile.Open("/pile", PileOptions.Tiny with
        {
            Files = files,
            MemoryLimitBytes = null,
            DiskLimitBytes = 64 << 20,
            SegmentBytesMin = SegmentBytes,
            SegmentBytesMax = SegmentBytes,
            WritersMax = 1,
            BackgroundCleaning = false,
            FlushInterval = TimeSpan.FromHours(1),
            DiskReserveBytes = 0,
        });
    }
}
