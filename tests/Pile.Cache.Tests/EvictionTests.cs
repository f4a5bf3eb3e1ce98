// Limits: the cache's memory, a table's own, priorities, and what is never evicted.
using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class EvictionTests
{
    [Fact]
    public void ASpeculativeTableNeverRefusesAndTheLimitHolds()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 200_000; key++)
        {
            Assert.NotEqual(PileSetOutcome.Full, table.Set(key, new byte[100]).Outcome);
            if (key % 1000 == 0)
            {
                Assert.True(tiny.Cache.Pile.GetStatistics().PeakUsedBytes <= 4 << 20);
            }
        }

        PileCacheStatistics statistics = table.GetStatistics();
        Assert.Equal(200_000, statistics.Entries + statistics.Evictions);
        Assert.True(statistics.EntryBytes > 2 << 20, $"{statistics}");
    }

    /// <summary>Values with pages of their own have few bytes of records. The queues are weighed by both, or such values would leave new entries next to nothing.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void NewEntriesHaveTheirTenthBesideLargeValues(bool hasTwoTables)
    {
        const long Limit = 64 << 20;
        using TinyCache tiny = new(Limit);
        PileTable<int, byte[]> small = tiny.Table<int, byte[]>();
        PileTable<int, byte[]> large = hasTwoTables ? tiny.Cache.GetOrCreateTable<int, byte[]>("large") : small;
        for (int key = 0; key < 1300; key++)
        {
            Assert.True(large.Set(-1 - key, new byte[100_000]).IsStored);
        }

        for (int key = 0; key < 1_500_000; key++)
        {
            Assert.True(small.Set(key, new byte[32]).IsStored);
        }

        int kept = Enumerable.Range(0, 1_500_000).Count(small.ContainsKey);
        Assert.True(kept * 64L > Limit / 12, $"{kept} small ones are kept, and {Enumerable.Range(0, 1300).Count(key => large.ContainsKey(-1 - key))} large ones");
    }

    /// <summary>Nor do small durable entries, which nothing evicts, take the tenth of those that are new.</summary>
    [Fact]
    public void NewEntriesHaveTheirTenthBesideLargeValuesAndDurableEntries()
    {
        const long Limit = 64 << 20;
        const int DurableEntries = 43_690;
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = Limit, TimeProvider = new ManualClock(), BackgroundCleaning = false });
        PileTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>("durable", new PileTableOptions { Kind = PileTableKind.Durable });
        for (int key = 0; key < DurableEntries; key++)
        {
            Assert.True(durable.Set(key, new byte[200]).IsStored);
        }

        PileTable<int, byte[]> small = cache.GetOrCreateTable<int, byte[]>("small");
        PileTable<int, byte[]> large = cache.GetOrCreateTable<int, byte[]>("large");
        for (int key = 0; key < 2_000; key++)
        {
            Assert.True(large.Set(key, new byte[100_000]).IsStored);
        }

        for (int key = 0; key < 1_500_000; key++)
        {
            Assert.True(small.Set(key, new byte[200]).IsStored);
        }

        int kept = Enumerable.Range(0, 1_500_000).Count(small.ContainsKey);
        Assert.True(kept * 240L > (Limit - (DurableEntries * 240L)) / 12, $"{kept} small ones are kept, and {Enumerable.Range(0, 2_000).Count(large.ContainsKey)} large ones");
    }

    /// <summary>What nothing evicts is in no queue: entries that are read again stay, whatever a durable table has beside them.</summary>
    [Fact]
    public void EntriesThatAreReadAgainStayBesideLargeDurableValues()
    {
        const int Often = 42_000;
        using TinyCache tiny = new(32 << 20);
        PileTable<int, byte[]> durable = tiny.Cache.GetOrCreateTable<int, byte[]>("durable", new PileTableOptions { Kind = PileTableKind.Durable });
        for (int key = 0; key < 200; key++)
        {
            Assert.True(durable.Set(key, new byte[100_000]).IsStored);
        }

        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        var random = new Random(1);
        int reads = 0;
        int misses = 0;
        for (int step = 0; step < 1_200_000; step++)
        {
            bool isOften = random.Next(2) == 0;
            int key = isOften ? random.Next(Often) : Often + step;
            bool isThere = isOften && table.TryGet(key, out _);
            if (!isThere)
            {
                _ = table.Set(key, new byte[200]);
            }

            reads += isOften && step > 600_000 ? 1 : 0;
            misses += isOften && step > 600_000 && !isThere ? 1 : 0;
        }

        Assert.True(misses < reads / 14, $"{misses} of {reads}");
    }

    [Fact]
    public void ADurableTableAnswersFullAndKeepsAll()
    {
        using TinyCache tiny = new(2 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = PileTableKind.Durable });
        int kept = 0;
        while (table.Set(kept, new byte[200]).Outcome == PileSetOutcome.Inserted)
        {
            kept++;
        }

        Assert.True(kept > 3000, $"{kept}");
        Assert.Equal(PileSetOutcome.Full, table.Set(-1, new byte[200]).Outcome);
        for (int key = 0; key < kept; key++)
        {
            Assert.True(table.TryGet(key, out _));
        }
    }

    [Fact]
    public void TheLowestPriorityLeavesFirstAndNeverRemoveNever()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 4000; key++)
        {
            Assert.True(table.Set(key, new byte[200], new PileEntryOptions { Priority = (PileCachePriority)(key % 4) }).IsStored);
        }

        for (int more = 0; more < 40_000; more++)
        {
            Assert.True(table.Set(100_000 + more, new byte[200], new PileEntryOptions { Priority = PileCachePriority.Low }).IsStored);
        }

        int[] left = new int[4];
        for (int key = 0; key < 4000; key++)
        {
            left[key % 4] += table.ContainsKey(key) ? 1 : 0;
        }

        Assert.Equal(0, left[0]);
        Assert.Equal(1000, left[1]);
        Assert.Equal(1000, left[2]);
        Assert.Equal(1000, left[3]);
    }

    [Fact]
    public void WhereNothingMayLeaveSetAnswersFull()
    {
        using TinyCache tiny = new(2 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        int kept = 0;
        var options = new PileEntryOptions { Priority = PileCachePriority.NeverRemove };
        while (table.Set(kept, new byte[200], options).IsStored)
        {
            kept++;
        }

        Assert.True(kept > 3000, $"{kept}");
        for (int key = 0; key < kept; key++)
        {
            Assert.True(table.ContainsKey(key));
        }
    }

    [Fact]
    public void ATablesOwnLimitIsHeldByItsOwnEntries()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, int> small = tiny.Cache.GetOrCreateTable<int, int>("small", new PileTableOptions { MaximumEntries = 100 });
        PileTable<int, int> other = tiny.Cache.GetOrCreateTable<int, int>("other");
        for (int key = 0; key < 10_000; key++)
        {
            Assert.True(small.Set(key, key).IsStored);
            Assert.True(small.Count <= 100);
            Assert.True(small.ContainsKey(key));
            other.Set(key, key);
        }

        Assert.Equal(100, small.Count);
        Assert.Equal(10_000, other.Count);
    }

    [Fact]
    public void WhatIsReadOftenStaysAndWhatIsScannedGoes()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 2000; key++)
        {
            table.Set(key, new byte[200]);
        }

        int hits = 0;
        for (int scan = 0; scan < 60_000; scan++)
        {
            table.Set(1_000_000 + scan, new byte[200]);
            bool isHit = table.TryGet(scan % 2000, out _);
            hits += isHit && scan >= 20_000 ? 1 : 0;
            if (!isHit)
            {
                table.Set(scan % 2000, new byte[200]);
            }
        }

        Assert.True(hits > 39_000, $"{hits} of 40000");
    }
}
