// Which entry leaves, where several could: by visits and priority within a table's own limit, by extra lives among the survivors, and none that
// a minimum or a pin keeps. Each was broken once, and nothing else noticed it.
using System;
using System.Linq;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class WorthTests
{
    private static readonly PileTableOptions _hundred = new() { MaximumEntries = 100 };

    [Fact]
    public void WithinATablesOwnLimitWhatIsReadOutlivesWhatIsNot()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>(_hundred);
        for (int key = 0; key < 5_000; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
            for (int hot = 0; hot < 20; hot++)
            {
                _ = table.TryGet(hot, out _);
            }
        }

        Assert.Equal(100, table.Count);
        Assert.InRange(Enumerable.Range(0, 20).Count(table.ContainsKey), 18, 20);
    }

    /// <summary>Sessions that are at work, of which seven tenths of the room would do: those that are over leave, and neither those nor what was just stored.</summary>
    [Fact]
    public void WithinATablesOwnLimitWhatIsUsedNowAndThenStays()
    {
        const int Sessions = 700;
        const int Requests = 30;
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { MaximumEntries = 1000 });
        var random = new Random(23);
        int[] active = [.. Enumerable.Range(0, Sessions)];
        int next = Sessions;
        int hits = 0;
        for (int request = 0; request < 100_000; request++)
        {
            int session = random.Next(Sessions);
            hits += table.TryGet(active[session], out _) ? 1 : 0;
            Assert.True(table.Set(active[session], request).IsStored);
            active[session] = random.Next(Requests) == 0 ? next++ : active[session];
        }

        Assert.InRange(hits, 90_000, 97_000);
    }

    [Fact]
    public void WithinATablesOwnLimitTheLowestPriorityLeaves()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>(_hundred);
        for (int key = 0; key < 5_000; key++)
        {
            Assert.True(table.Set(key, key, new PileEntryOptions { Priority = key < 50 ? PileCachePriority.High : PileCachePriority.Low }).IsStored);
        }

        Assert.Equal(100, table.Count);
        Assert.Equal(50, Enumerable.Range(0, 50).Count(table.ContainsKey));
    }

    /// <summary>Their records are so small that all of them may stand in a segment that is open, where a pass finds none.</summary>
    [Theory]
    [InlineData(50_000, false)]
    [InlineData(300_000, false)]
    [InlineData(50_000, true)]
    [InlineData(300_000, true)]
    public void LargeValuesOfALowPriorityLeaveBeforeThoseOfAHighOne(int bytes, bool backgroundCleaning)
    {
        const int Limit = 32 << 20;
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = Limit, BackgroundCleaning = backgroundCleaning });
        PileTable<int, byte[]> high = cache.GetOrCreateTable<int, byte[]>("high", new PileTableOptions { DefaultPriority = PileCachePriority.High });
        PileTable<int, byte[]> low = cache.GetOrCreateTable<int, byte[]>("low", new PileTableOptions { DefaultPriority = PileCachePriority.Low });
        int highs = Limit / 8 * 3 / bytes;
        Assert.All(Enumerable.Range(0, highs), key => Assert.True(high.Set(key, new byte[bytes]).IsStored));
        for (int key = 0; key < 4_000; key++)
        {
            Assert.True(low.Set(key, new byte[bytes]).IsStored);
        }

        Assert.Equal(highs, Enumerable.Range(0, highs).Count(high.ContainsKey));
        Assert.True(cache.Pile.Verify().IsGood);
    }

    [Theory]
    [InlineData(false, 1_000)]
    [InlineData(true, 1_000)]
    [InlineData(false, 10_000)]
    [InlineData(true, 10_000)]
    public void SmallEntriesOfAHighPriorityHaveTheRoomOfLargeValuesOfALowOne(bool inFiles, int bytes)
    {
        const int Limit = 16 << 20;
        using var files = new SimulatedFiles();
        var options = new PileCacheOptions { MemoryLimitBytes = Limit };
        using PileCache cache = inFiles
            ? PileCache.Open(MappedCache.Directory, options, MappedCache.Options(files) with { FlushInterval = TimeSpan.FromMilliseconds(50) })
            : PileCache.Create(options, PileOptions.Tiny);
        PileTable<int, byte[]> low = cache.GetOrCreateTable<int, byte[]>("low", new PileTableOptions { DefaultPriority = PileCachePriority.Low });
        PileTable<int, byte[]> high = cache.GetOrCreateTable<int, byte[]>("high", new PileTableOptions { DefaultPriority = PileCachePriority.High });
        Assert.All(Enumerable.Range(0, 300), key => Assert.True(low.Set(key, new byte[200_000]).IsStored));
        int highs = Limit / 2 / bytes;
        Assert.All(Enumerable.Range(0, highs), key => Assert.True(high.Set(key, new byte[bytes]).IsStored));

        Assert.Equal(highs, Enumerable.Range(0, highs).Count(high.ContainsKey));
        Assert.True(cache.Pile.Verify().IsGood);
    }

    /// <summary>What a call lets go is no room before a flush has come: it must not all go meanwhile.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void WhileNoFlushComesACallLetsFewEntriesGo(bool hasCleanedInVain)
    {
        using var files = new SimulatedFiles();
        using var mapped = new MappedCache(files);
        PileTable<int, byte[]> table = mapped.Table<int, byte[]>();
        for (int key = 0; table.Set(key, new byte[1000]).IsStored; key++)
        {
            if (key % 50 == 0)
            {
                mapped.Cache.Pile.Commit();
            }
        }

        mapped.Cache.Pile.Commit();
        HeapCore<DurableRecord> core = mapped.Cache.Pile.Durable!.Core;
        var attempt = new RoomAttempt { OverRatio = true, HasCleanedInVain = hasCleanedInVain };
        long before = table.Count;
        PileStatus status = PileStatus.Ok;
        for (int look = 0; look < 500 && status == PileStatus.Ok; look++)
        {
            status = core.Room.Make(Room.Segment, 1000, ref attempt);
        }

        Assert.InRange(before - table.Count, 1, (RoomLimits.CleanerVictimsMax + 1) * PileOptions.Tiny.SegmentBytesMax / 1000);
    }

    [Fact]
    public void WithinATablesOwnLimitWhatWasReadOnceUponATimeLeavesAllTheSame()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>(_hundred);
        for (int key = 0; key < 100; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
            for (int visit = 0; visit < 5; visit++)
            {
                Assert.True(table.TryGet(key, out _));
            }
        }

        for (int key = 100; key < 5_000; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
        }

        Assert.InRange(Enumerable.Range(0, 100).Count(table.ContainsKey), 0, 5);
    }

    [Fact]
    public void AmongSurvivorsWhatIsStillReadOutlivesWhatIsNot()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        byte[] value = new byte[200];
        int misses = 0;
        for (int key = 0; key < 60_000; key++)
        {
            // All are read often enough to survive once; the first five hundred are read for ever.
            Assert.True(table.Set(key, value).IsStored);
            for (int visit = 0; visit < 3; visit++)
            {
                _ = table.TryGet(key, out _);
                misses += key > 500 && !table.TryGet(((key * 3) + visit) % 500, out _) ? 1 : 0;
            }
        }

        Assert.True(table.GetStatistics().Evictions > 30_000);
        Assert.InRange(misses, 0, 500);
        Assert.InRange(Enumerable.Range(0, 500).Count(table.ContainsKey), 450, 500);
    }

    [Fact]
    public void WhatHasEndedIsNotCopied()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 2_000; key++)
        {
            PileEntryOptions options = key % 4 == 0 ? default : new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1) };
            Assert.True(table.Set(key, new byte[200], options).IsStored);
        }

        // Only of segments that have dead bytes anything is copied.
        for (int key = 2; key < 2_000; key += 4)
        {
            Assert.True(table.Remove(key));
            Assert.True(table.Remove(key + 1));
        }

        tiny.Clock.Move(TimeSpan.FromSeconds(1));
        _ = tiny.Cache.Pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        Assert.InRange(tiny.Cache.Pile.GetStatistics().CleanerMovedRecords, 300, 500);
        Assert.InRange(table.Count, 500, 700);
    }

    [Fact]
    public void LargeValuesWithinAMinimumStayWhereOthersNeedTheirMemory()
    {
        using TinyCache tiny = new(8 << 20);
        PileTable<int, byte[]> kept = tiny.Cache.GetOrCreateTable<int, byte[]>("kept", new PileTableOptions { MinimumBytes = 2 << 20 });
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 40; key++)
        {
            Assert.True(kept.Set(key, new byte[40_000]).IsStored);
        }

        for (int key = 0; key < 500; key++)
        {
            Assert.True(table.Set(key, new byte[40_000]).IsStored);
        }

        Assert.Equal(40, kept.Count);
        Assert.True(table.GetStatistics().Evictions > 300);
    }

    [Fact]
    public void NoEntryLeavesASegmentThatAPinHoldsForThatFreesNothing()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 50; key++)
        {
            Assert.True(table.Set(key, new byte[200]).IsStored);
        }

        using (tiny.Cache.Pile.Pin(tiny.Cache.Pile.PutBytes(new byte[200])))
        {
            Churn(100_000);
            Assert.Equal(50, Enumerable.Range(0, 50).Count(table.ContainsKey));
        }

        Churn(200_000);
        Assert.Equal(0, Enumerable.Range(0, 50).Count(table.ContainsKey));

        void Churn(int first)
        {
            for (int key = first; key < first + 50_000; key++)
            {
                Assert.True(table.Set(key, new byte[200]).IsStored);
            }
        }
    }

    [Fact]
    public void WhatMayLeaveDoesSoFromOpenSegmentsTooBeforeASetIsFull()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        var other = new Thread(() =>
        {
            for (int key = 0; key < 50; key++)
            {
                _ = table.Set(key, new byte[200]);
            }
        });
        other.Start();
        other.Join();
        Assert.Equal(50, table.Count);
        int kept = 1_000;
        while (table.Set(kept, new byte[200], new PileEntryOptions { Priority = PileCachePriority.NeverRemove }).IsStored)
        {
            kept++;
        }

        Assert.Equal(kept - 1_000, table.Count);
    }

    [Fact]
    public void WhileAReaderHoldsWhatWasCopiedNoMoreIsCopiedThanAFewSegments()
    {
        using TinyCache tiny = new(16 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 20_000; key++)
        {
            Assert.True(table.Set(key, new byte[200]).IsStored);
        }

        PileTable<int, int> small = tiny.Cache.GetOrCreateTable<int, int>("small");
        Assert.True(small.Set(1, 1).IsStored);
        using var held = new HeldLease<int>(small, 1);
        long before = tiny.Cache.Pile.GetStatistics().CleanerMovedRecords;
        var random = new Random(8);
        for (int step = 0; step < 20_000; step++)
        {
            Assert.True(table.Set(random.Next(20_000), new byte[200]).IsStored);
        }

        Assert.InRange(tiny.Cache.Pile.GetStatistics().CleanerMovedRecords - before, 0, (RoomLimits.CleanerVictimsMax + 1) * (long)PileOptions.Tiny.SegmentBytesMax / 200);
    }
}
