using System;
using System.Collections.Generic;
using Pile.Format;
using Pile.Heap;
using Pile.Segments;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Cleaning;

/// <summary>Records of which a segment holds few, and which leave much of it at its end: no cleaning gains that.</summary>
public sealed class FullSegmentsTests
{
    /// <summary>Payload bytes of which a segment of 64 KiB holds three to five records.</summary>
    public static TheoryData<int> Sizes => [9_000, 11_000, 13_200, 14_000, 16_000];

    [Theory]
    [MemberData(nameof(Sizes))]
    public void AFillMovesNothing(int bytes)
    {
        using var pile = new CheckedPile(new PileOptions { MemoryLimitBytes = 64 << 20 });
        Fill(pile.It, bytes, totalBytes: 24_000_000);
        Assert.Equal(0, pile.Statistics.CleanerMovedBytes);
        Assert.InRange(pile.Statistics.UsedBytes, 24_000_000, 36_000_000);
    }

    /// <summary>Nor does it wait for a flush, without which no segment is cleaned.</summary>
    [Theory]
    [MemberData(nameof(Sizes))]
    public void AFillOfFilesMovesNothingAndAsksForNoFlush(int bytes)
    {
        using var directory = new TemporaryDirectory();
        using ObjectPile pile = ObjectPile.Open(directory.Path, new PileOptions { DiskLimitBytes = 128 << 20, FlushInterval = TimeSpan.FromHours(1) });
        long before = pile.Core.Log.Flushes.Completed;
        Fill(pile, bytes, totalBytes: 24_000_000);
        Assert.Equal(0, pile.GetStatistics().CleanerMovedBytes);
        Assert.Equal(before, pile.Core.Log.Flushes.Completed);
    }

    /// <summary>Each byte put may cost some bytes copied; not hundreds.</summary>
    [Theory]
    [MemberData(nameof(Sizes))]
    public void UnderChurnMemoryAndCopyingAreBounded(int bytes)
    {
        using var pile = new CheckedPile(new PileOptions { MemoryLimitBytes = 64 << 20 });
        List<PilePointer> pointers = Fill(pile.It, bytes, totalBytes: 16_000_000);
        var random = new Random(7);
        byte[] payload = new byte[bytes];
        long liveBytes = pointers.Count * (long)bytes;
        long worst = 0;
        int replaced = pointers.Count * 5;
        for (int step = 0; step < replaced; step++)
        {
            int index = random.Next(pointers.Count);
            Assert.True(pile.It.Delete(pointers[index]));
            pointers[index] = pile.It.PutBytes(payload);
            worst = long.Max(worst, step % 16 == 0 ? pile.Statistics.UsedBytes : 0);
        }

        Assert.InRange(pile.Statistics.CleanerMovedBytes, 1, 8L * replaced * bytes);
        Assert.InRange(worst, liveBytes, (long)(liveBytes * 1.6));
    }

    [Fact]
    public void WhatIsLeftIsCountedWhileTheSegmentsAreFull()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20, WritersMax = 1 });
        List<PilePointer> pointers = Fill(pile.It, bytes: 13_200, totalBytes: 2_000_000);
        long unfit = 0;
        foreach (Segment segment in Segments(pile.Core))
        {
            unfit += segment.UnfitBytes;
            Assert.True(segment.UnfitBytes == 0 || segment.UnfitBytes == segment.Bytes - segment.WrittenBytes);
        }

        Assert.InRange(unfit, 400_000, 600_000);
        Assert.Equal(unfit, pile.Core.Pool.Opened.UnfitBytes);
        pointers.ForEach(pointer => Assert.True(pile.It.Delete(pointer)));
        _ = pile.It.Compact(cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(0, pile.Core.Pool.Opened.UnfitBytes);
    }

    /// <summary>Not where others would have found room.</summary>
    [Fact]
    public void ASegmentThatIsSealedBeforeItIsFullCanBeGained()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { WritersMax = 1 });
        _ = pile.It.PutBytes(new byte[100]);
        Assert.True(pile.Core.Writers.TrySeal(static _ => true));
        Assert.All(Segments(pile.Core), static segment => Assert.Equal(0, segment.UnfitBytes));
        Assert.Equal(0, pile.Core.Pool.Opened.UnfitBytes);
    }

    /// <summary>The cleaner moves its members one by one, and these fit.</summary>
    [Fact]
    public void WhatTheFrameOfABatchLeavesCanBeGained()
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 32 << 20, WritersMax = 1, BackgroundCleaning = false };
        using ObjectPile pile = ObjectPile.Open(directory.Path, options);
        for (int frame = 0; frame < 10; frame++)
        {
            using PileBatch batch = pile.BeginBatch();
            for (int member = 0; member < 40; member++)
            {
                _ = batch.Put(new byte[1000]);
            }

            batch.Commit();
        }

        Assert.Equal(400, pile.GetStatistics().Objects);
        Assert.True(pile.GetStatistics().SegmentBytes >= 10 << 16);
        Assert.Equal(0, pile.Core.Pool.Opened.UnfitBytes);
    }

    private static List<PilePointer> Fill(ObjectPile pile, int bytes, long totalBytes)
    {
        byte[] payload = new byte[bytes];
        List<PilePointer> pointers = [];
        for (long put = 0; put < totalBytes; put += bytes)
        {
            pointers.Add(pile.PutBytes(payload));
        }

        return pointers;
    }

    private static IEnumerable<Segment> Segments(HeapCore<MemoryRecord> core)
    {
        for (int index = 0; index < core.Directory.Count; index++)
        {
            yield return core.Directory[index];
        }
    }
}
