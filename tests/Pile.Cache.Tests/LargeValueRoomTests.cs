using System;
using System.Linq;
using Pile.Cache.Engine;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Large values, whose entries are so few that all of them stand in open segments: they make room as others do.</summary>
public sealed class LargeValueRoomTests
{
    private const long LimitBytes = 4 << 20;
    private const int ValueBytes = 40_000;

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void ASetOfALargeValueEvictsOthersInOpenSegments(bool isInFiles, bool areVisited)
    {
        using var files = new SimulatedFiles();
        using PileCache cache = isInFiles
            ? PileCache.Open(MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = LimitBytes, BackgroundCleaning = false }, MappedCache.Options(files) with { Promise = PilePromise.ProcessSafe })
            : PileCache.Create(new PileCacheOptions { MemoryLimitBytes = LimitBytes, BackgroundCleaning = false }, PileOptions.Tiny);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
        for (int key = 0; key < 300; key++)
        {
            Assert.True(table.Set(key, new byte[ValueBytes]).IsStored, $"{key} of {table.Count}");
            for (int visit = 0; areVisited && visit < 3; visit++)
            {
                Assert.True(table.TryGet(key, out _));
            }

            Assert.InRange(cache.Pile.GetStatistics().UsedBytes, 1, LimitBytes);
        }

        Assert.True(table.ContainsKey(299));
        Assert.InRange(table.Count, 20, 100);
        Assert.Empty(cache.Pile.Verify().Findings);
    }

    [Fact]
    public void ASetOfALargeValueEvictsOthersWhereWhatIsFreedWaitsForAFlush()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files, limitBytes: LimitBytes, flushes: true);
        PileTable<int, byte[]> table = cache.Table<int, byte[]>();
        for (int key = 0; key < 300; key++)
        {
            Assert.True(table.Set(key, new byte[ValueBytes]).IsStored, $"{key} of {table.Count}");
            Assert.InRange(cache.Cache.Pile.GetStatistics().UsedBytes, 1, LimitBytes);
        }

        Assert.True(table.ContainsKey(299));
        Assert.InRange(table.Count, 10, 100);
    }

    [Fact]
    public void OfLargeValuesThatAreWorthAsMuchTheLatestStay()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = LimitBytes, BackgroundCleaning = false }, PileOptions.Tiny);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
        for (int key = 0; key < 40; key++)
        {
            Assert.True(table.Set(key, new byte[ValueBytes]).IsStored);
        }

        TableEvictor<MemoryRecord> evictor = ((IPileTableCore)table).Core.Memory!.Evictor;
        int evicted = 0;
        for (int gone = 0; gone < 25; gone++)
        {
            Assert.True(evictor.TryEvictLarge((int)PileCachePriority.Normal, ref evicted, out long largeBytes));
            Assert.InRange(largeBytes, ValueBytes, LimitBytes);
        }

        Assert.Equal(25, evicted);
        Assert.Equal(15, table.Count);
        for (int key = 36; key < 40; key++)
        {
            Assert.True(table.ContainsKey(key), $"{key} went before older ones");
        }
    }

    [Fact]
    public void WhatIsNeverRemovedStaysAndTheSetIsFull()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = LimitBytes, BackgroundCleaning = false }, PileOptions.Tiny);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", new PileTableOptions { DefaultPriority = PileCachePriority.NeverRemove });
        int stored = 0;
        while (table.Set(stored, new byte[ValueBytes]).IsStored)
        {
            stored++;
        }

        Assert.InRange(stored, 60, 100);
        Assert.Equal(PileSetOutcome.Full, table.Set(-1, new byte[ValueBytes]).Outcome);
        Assert.Equal(stored, table.Count);
        Assert.True(table.Set(-2, new byte[100]).IsStored);
    }

    /// <summary>In files what was moved can't be evicted before the next flush: who cleans in vain goes on by evicting.</summary>
    [Fact]
    public void DurableEntriesHaveTheRoomOfLargeSpeculativeValues()
    {
        int alone = Fill(largeValues: 0, out _);
        int beside = Fill(largeValues: 500, out int left);

        // Who may evict waits for one more flush before it is refused, and may find room for a few more.
        Assert.InRange(beside, alone * 9 / 10, alone * 21 / 20);

        // What stands in the segment that is being written to goes too: it is sealed for it, and the flush waited for.
        Assert.InRange(left, 0, 3);

        static int Fill(int largeValues, out int left)
        {
            using var files = new SimulatedFiles();
            using PileCache cache = PileCache.Open(
                MappedCache.Directory,
                new PileCacheOptions { MemoryLimitBytes = 4 << 20, TimeProvider = new ManualClock() },
                MappedCache.Options(files) with { FlushInterval = TimeSpan.FromMilliseconds(50) });
            PileTable<int, byte[]> speculative = cache.GetOrCreateTable<int, byte[]>("speculative");
            var random = new Random(1);
            Assert.All(Enumerable.Range(0, largeValues), key => Assert.True(speculative.Set(key, new byte[random.Next(100_000)]).IsStored));
            PileTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable);
            int stored = 0;
            for (int refused = 0; refused < 5;)
            {
                bool isStored = durable.Set(stored, new byte[10_000]).IsStored;
                stored += isStored ? 1 : 0;
                refused += isStored ? 0 : 1;
            }

            left = (int)speculative.Count;
            Assert.True(cache.Pile.Verify().IsGood);
            return stored;
        }
    }
}
