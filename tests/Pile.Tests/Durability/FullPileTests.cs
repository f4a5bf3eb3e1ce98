using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;
using Pile.Tests.Segments;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A pile in files that answers Full can be deleted from, although each deletion appends.</summary>
public sealed class FullPileTests
{
    /// <summary>Payload bytes of records that take little more than what their deletion leaves; whether segments grow with the pile, or are many small ones.</summary>
    public static TheoryData<int, bool> Sizes => new() { { 30, true }, { 8, true }, { 30, false }, { 100, true }, { 100, false } };

    [Theory]
    [InlineData(0)]
    [InlineData(800)]
    public void AFullPileCanBeEmptied(int bytes)
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        List<PilePointer> all = Fill(pile, bytes);
        Assert.True(all.Count > 1000);
        int deleted = 0;
        foreach (PilePointer pointer in all)
        {
            try
            {
                Assert.True(pile.Delete(pointer));
                deleted++;
            }
            catch (PileFullException) when (bytes == 0)
            {
                // What it leaves takes as much as the object: one segment of it is all that there is.
                break;
            }
        }

        Assert.True(bytes == 0 ? deleted > 500 : deleted == all.Count, $"{deleted} of {all.Count}");
        Assert.Equal(all.Count - deleted, pile.GetStatistics().Objects);
        Assert.True(pile.Verify().IsGood);
    }

    /// <summary>Chosen at random: each segment has a little that is dead, and none much.</summary>
    [Theory]
    [MemberData(nameof(Sizes))]
    public void AnyOfManySmallObjectsCanBeDeleted(int bytes, bool growsSegments)
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = growsSegments ? new PileOptions() : PileOptions.Tiny with { MemoryLimitBytes = null };
        using ObjectPile pile = ObjectPile.Open(directory.Path, options with { DiskLimitBytes = 40 << 20 });
        List<PilePointer> all = Fill(pile, bytes);
        var random = new Random(3);
        int kept = all.Count * 7 / 10;
        for (int left = all.Count; left > kept; left--)
        {
            int index = random.Next(left);
            Assert.True(pile.Delete(all[index]));
            all[index] = all[left - 1];
        }

        Assert.Equal(kept, pile.GetStatistics().Objects);
        Assert.True(pile.Verify().IsGood);
    }

    /// <summary>A freed slot may be used again once a flush has covered its deletion: who needs one has it flushed, and waits.</summary>
    [Fact]
    public void APutWaitsForSlotsThatOnlyAFlushFrees()
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, SlotsMax = 1000, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) };
        using ObjectPile pile = ObjectPile.Open(directory.Path, options);
        List<PilePointer> all = Fill(pile, bytes: 8);
        Assert.InRange(all.Count, 900, 1000);
        all.ForEach(pointer => Assert.True(pile.Delete(pointer)));
        Assert.Equal(PileStatus.Ok, pile.TryPutBytes([1], out _));
        Assert.Equal(1, pile.GetStatistics().Objects);
    }

    /// <summary>Readers that hold memory back are waited for two seconds. A flush on a slow device takes longer, and comes to an end.</summary>
    [Fact]
    public void APutWaitsLongerForAFlushThatRunsThanForReaders()
    {
        using var files = new SimulatedFiles();
        var clock = new SteppingTime(TimeSpan.FromMilliseconds(10));
        PileOptions options = PileOptions.Tiny with { Files = files, TimeProvider = clock, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, SlotsMax = 1000, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) };
        using ObjectPile pile = ObjectPile.Open("/pile", options);
        List<PilePointer> all = Fill(pile, bytes: 8);
        all.ForEach(pointer => Assert.True(pile.Delete(pointer)));
        TimeSpan slow = TimeSpan.FromMilliseconds(2 * RoomLimits.ReclaimWaitMs);
        bool wasSlow = false;
        files.AtCall = call =>
        {
            if (call.Contains("sync", StringComparison.Ordinal))
            {
                files.AtCall = null;
                long end = clock.Ticks + slow.Ticks;
                wasSlow = SpinWait.SpinUntil(() => clock.Ticks >= end, TimeSpan.FromSeconds(5));
            }
        };
        Assert.Equal(PileStatus.Ok, pile.TryPutBytes([1], out _));
        Assert.True(wasSlow);
    }

    [Fact]
    public void WhatDeletionsNeedGrowsWithThePile()
    {
        using var directory = new TemporaryDirectory();
        using ObjectPile pile = ObjectPile.Open(directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 40 << 20 });
        SegmentPool pool = pile.Core.Pool;
        Assert.Equal(RoomLimits.CleanerReserveSegments, pool.ReserveSegments);
        _ = Fill(pile, bytes: 10_000);
        Assert.InRange(pool.ReserveSegments, RoomLimits.CleanerReserveSegments + 1, RoomLimits.CleanerReserveSegments + 3);
        Assert.InRange(pile.Core.Budget.FreeBytes + pool.FreeBytes, (long)pool.ReserveSegments * Limits.SegmentBytesMin, 2 << 20);
        using var memory = new CheckedPile();
        _ = memory.It.PutBytes([1]);
        Assert.Equal(RoomLimits.CleanerReserveSegments, memory.Core.Pool.ReserveSegments);
    }

    [Fact]
    public void DeletionsBetweenPutsDoNotUseUpWhatDeletionsNeed()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        List<PilePointer> all = Fill(pile, 800);
        var random = new Random(7);
        int put = 0;
        for (int round = 0; round < 3000; round++)
        {
            int index = random.Next(all.Count);
            Assert.True(pile.Delete(all[index]), $"round {round}");
            all[index] = all[^1];
            all.RemoveAt(all.Count - 1);
            if (pile.TryPutBytes(new byte[800], out PilePointer pointer) == PileStatus.Ok)
            {
                all.Add(pointer);
                put++;
            }
        }

        Assert.True(put > 0);
        Assert.Equal(all.Count, pile.GetStatistics().Objects);
        Assert.True(pile.Verify().IsGood);
    }

    /// <summary>The cleaner has one segment for what deletions leave. Whoever took it, it serves the other writers as well.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void DeletionsByAnotherWriterThanTheFirstFindRoomToo(bool isBatch)
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        List<PilePointer> all = Fill(pile, 800);
        WriterSet<DurableRecord> writers = pile.Durable!.Core.Writers;
        using (new HeldWriter(writers))
        {
            Delete(0);
            Assert.Equal(1, EpochLine.Current.Writer);
        }

        for (int index = 1; index < 500; index++)
        {
            EpochLine line = EpochLine.Current;
            line.Writer = index % 2;
            writers.NoteFlush();
            Delete(index);
        }

        Assert.Equal(all.Count - 500, pile.GetStatistics().Objects);
        Assert.True(pile.Verify().IsGood);

        void Delete(int index)
        {
            if (!isBatch)
            {
                Assert.True(pile.Delete(all[index]));
                return;
            }

            using PileBatch batch = pile.BeginBatch();
            batch.Delete(all[index]);
            batch.Commit();
        }
    }

    private static ObjectPile Open(SimulatedFiles files) =>
        ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 3 << 20, BackgroundCleaning = false, FlushInterval = TimeSpan.FromHours(1), WritersMax = 2 });

    private static List<PilePointer> Fill(ObjectPile pile, int bytes)
    {
        List<PilePointer> all = [];
        while (pile.TryPutBytes(new byte[bytes], out PilePointer pointer) == PileStatus.Ok)
        {
            all.Add(pointer);
        }

        return all;
    }
}
