using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>The limit of a pile for which none is given: what it takes, and most of what the device has left.</summary>
public sealed class DeviceLimitTests
{
    private const string Path = "/pile";
    private const int ObjectBytes = 1 << 20;

    [Fact]
    public void LargeObjectsOfBeforeTheOpenAreWithinIt()
    {
        using var files = new SimulatedFiles { CapacityBytes = 128 << 20 };
        PileOptions options = new() { Files = files, FlushInterval = TimeSpan.FromHours(1) };
        byte[] bytes = new byte[ObjectBytes];
        using (ObjectPile pile = ObjectPile.Open(Path, options))
        {
            Assert.All(Enumerable.Range(0, 70), _ => Assert.False(pile.PutBytes(bytes).IsNull));
        }

        using ObjectPile again = ObjectPile.Open(Path, options);
        again.Core.WaitCounted(TestContext.Current.CancellationToken);
        Assert.InRange(again.MemoryLimitBytes, 71L << 20, 128 << 20);
        Assert.All(Enumerable.Range(0, 5), _ => Assert.False(again.PutBytes(bytes).IsNull));

        // A limit that somebody sets is that limit.
        again.MemoryLimitBytes = 100 << 20;
        Assert.Equal(100 << 20, again.MemoryLimitBytes);
    }

    [Fact]
    public void WhatTheDeviceHasNoRoomForTakesNothingOfWhatItHas()
    {
        using var files = new SimulatedFiles { CapacityBytes = 16 << 20 };
        using ObjectPile pile = ObjectPile.Open(Path, PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 1 << 30, DiskReserveBytes = 1 << 20, FlushInterval = TimeSpan.FromHours(1) });
        List<PilePointer> kept = [];
        while (pile.TryPut(new byte[ObjectBytes], out PilePointer pointer, out _))
        {
            kept.Add(pointer);
        }

        long free = files.FreeBytes(Path);
        long mapped = pile.Core.Extents.Bytes;
        Assert.True(free > 1 << 20);
        foreach (int bytes in (int[])[ObjectBytes, ObjectBytes * 2, ObjectBytes * 4, ObjectBytes])
        {
            Assert.Equal(PileStatus.Full, pile.TryPutBytes(new byte[bytes], out _));
        }

        Assert.Equal((free, mapped), (files.FreeBytes(Path), pile.Core.Extents.Bytes));
        Assert.All(kept, pointer => Assert.True(pile.Delete(pointer)));
        pile.Commit();
        Assert.All(kept, _ => Assert.False(pile.PutBytes(new byte[ObjectBytes]).IsNull));
    }

    [Theory]
    [InlineData(ObjectBytes)]
    [InlineData(20_000)]
    [InlineData(100)]
    public void FromAFullDeviceAllCanBeDeleted(int largestBytes)
    {
        using var files = new SimulatedFiles { CapacityBytes = 16 << 20 };
        using ObjectPile pile = ObjectPile.Open(Path, PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 1 << 30, DiskReserveBytes = 1 << 20, FlushInterval = TimeSpan.FromMilliseconds(10) });
        List<PilePointer> kept = [];
        for (int bytes = largestBytes; bytes > 0; bytes /= 2)
        {
            while (pile.TryPutBytes(new byte[bytes], out PilePointer pointer) == PileStatus.Ok)
            {
                kept.Add(pointer);
            }
        }

        Assert.All(kept, pointer => Assert.True(pile.Delete(pointer)));
        Assert.InRange(files.FreeBytes(Path), 1 << 19, 16 << 20);
        Assert.Empty(pile.Verify().Findings);
    }

    /// <summary>Without a keeper, which gives them back after a while.</summary>
    [Theory]
    [InlineData(ObjectBytes, ObjectBytes)]
    [InlineData(20_000, ObjectBytes)]
    [InlineData(ObjectBytes, 100)]
    [InlineData(100, ObjectBytes)]
    public void WhatWasDeletedFromAFullDeviceGivesRoomToAnySize(int largestBytes, int nextBytes)
    {
        using var files = new SimulatedFiles { CapacityBytes = 16 << 20 };
        using ObjectPile pile = ObjectPile.Open(Path, PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 1 << 30, DiskReserveBytes = 1 << 20, BackgroundCleaning = false, FlushInterval = TimeSpan.FromHours(1) });
        List<PilePointer> kept = [];
        for (int bytes = largestBytes; bytes > 0; bytes /= 2)
        {
            while (pile.TryPutBytes(new byte[bytes], out PilePointer pointer) == PileStatus.Ok)
            {
                kept.Add(pointer);
            }
        }

        Assert.All(kept, pointer => Assert.True(pile.Delete(pointer)));
        pile.Commit();
        long stored = 0;
        while (stored < 8 << 20 && pile.TryPutBytes(new byte[nextBytes], out _) == PileStatus.Ok)
        {
            stored += nextBytes;
        }

        Assert.InRange(stored, 8 << 20, 16 << 20);
        Assert.Empty(pile.Verify().Findings);
    }
}
