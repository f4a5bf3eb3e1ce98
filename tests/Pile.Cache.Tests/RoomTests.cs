// Full is the last answer: never while a speculative entry could leave, and always where nothing may.
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class RoomTests
{
    private static readonly PileEntryOptions _low = new() { Priority = PileCachePriority.Low };
    private static readonly PileEntryOptions _kept = new() { Priority = PileCachePriority.NeverRemove };

    [Fact]
    public void WhatASetSaysItEvictedIsWhatWasEvicted()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        PileTable<int, int> small = tiny.Cache.GetOrCreateTable<int, int>("small", new PileTableOptions { MaximumEntries = 50 });
        long told = 0;
        for (int key = 0; key < 60_000; key++)
        {
            told += table.Set(key, new byte[100]).Evicted;
            told += small.Set(key, key).Evicted;
        }

        Assert.True(told > 0);
        Assert.Equal(tiny.Cache.GetStatistics().Evictions, told);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatASetOfALargeValueSaysItEvictedIsWhatWasEvicted(bool inFiles)
    {
        using TinyCache tiny = new(8 << 20, inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        long told = 0;
        for (int key = 0; key < 400; key++)
        {
            told += table.Set(key, new byte[100_000]).Evicted;
        }

        Assert.True(tiny.Cache.GetStatistics().Evictions > 0);
        Assert.Equal(tiny.Cache.GetStatistics().Evictions, told);
    }

    [Fact]
    public void WhatALargeValueOfADurableTableEvictsIsSaidToo()
    {
        using TinyCache tiny = new(8 << 20, inFiles: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        PileTable<int, byte[]> durable = tiny.Cache.GetOrCreateTable<int, byte[]>("durable", new PileTableOptions { Kind = PileTableKind.Durable });
        long told = 0;
        for (int key = 0; key < 400; key++)
        {
            told += table.Set(key, new byte[100_000]).Evicted;
        }

        for (int key = 0; key < 20; key++)
        {
            told += durable.Set(key, new byte[100_000]).Evicted;
        }

        Assert.Equal(tiny.Cache.GetStatistics().Evictions, told);
    }

    [Fact]
    public void OneEntryOfLowPriorityInTheOpenSegmentDoesNotKeepTheOthersFromLeaving()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 60_000; key++)
        {
            PileEntryOptions options = key % 150 == 0 ? _low : default;
            Assert.True(table.Set(key % 150 == 0 ? -1 : key, new byte[300], options).IsStored, $"key {key}");
        }
    }

    [Fact]
    public void EntriesThatWereAllVisitedLeaveAllTheSame()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 30_000; key++)
        {
            Assert.True(table.Set(key, new byte[300]).IsStored, $"key {key}");
            for (int visit = 0; visit < 4; visit++)
            {
                Assert.True(table.TryLease(key, out PileLease lease));
                lease.Dispose();
            }
        }
    }

    [Fact]
    public void EntriesThatAreVisitedTogetherBeforeOneMoreComesLeaveAllTheSame()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        int next = 0;
        for (int round = 0; round < 40; round++)
        {
            for (int key = 0; key < 500; key++)
            {
                Assert.True(table.Set(next++, new byte[300]).IsStored, $"key {next}");
            }

            for (int visit = 0; visit < 4; visit++)
            {
                for (int key = 0; key < next; key++)
                {
                    if (table.TryLease(key, out PileLease lease))
                    {
                        lease.Dispose();
                    }
                }
            }
        }
    }

    [Fact]
    public void DurableEntriesInTheOldestSegmentsDoNotHideTheSpeculativeOnes()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> durable = tiny.Cache.GetOrCreateTable<int, byte[]>("durable", new PileTableOptions { Kind = PileTableKind.Durable });
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 6000; key++)
        {
            Assert.True(durable.Set(key, new byte[300]).IsStored);
        }

        for (int key = 0; key < 30_000; key++)
        {
            Assert.True(table.Set(key, new byte[300]).IsStored, $"key {key}");
        }

        Assert.Equal(6000, durable.Count);
    }

    [Fact]
    public void AMinimumThatProtectsTheOldestSegmentsDoesNotHideTheOthers()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<int, byte[]> first = tiny.Cache.GetOrCreateTable<int, byte[]>("first", new PileTableOptions { MinimumBytes = 2 << 20 });
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 6000; key++)
        {
            Assert.True(first.Set(key, new byte[300]).IsStored);
        }

        for (int key = 0; key < 30_000; key++)
        {
            Assert.True(table.Set(key, new byte[300]).IsStored, $"key {key}");
        }

        Assert.Equal(6000, first.Count);
    }

    [Fact]
    public void AValueThatCannotFitIsRefusedAndNothingLeavesForIt()
    {
        using TinyCache tiny = new(8 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 10_000; key++)
        {
            Assert.True(table.Set(key, new byte[300]).IsStored);
        }

        Assert.Equal(PileSetOutcome.Full, table.Set(-1, new byte[20 << 20]).Outcome);
        Assert.Equal(10_000, table.Count);
    }

    [Fact]
    public void AValueBeyondTheTablesOwnBytesIsRefusedAndNothingLeavesForIt()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { MaximumBytes = 100_000 });
        for (int key = 0; key < 200; key++)
        {
            Assert.True(table.Set(key, new byte[300]).IsStored);
        }

        Assert.Equal(PileSetOutcome.Full, table.Set(-1, new byte[100_001]).Outcome);
        Assert.Equal(PileSetOutcome.Full, table.Set(1, new byte[100_001]).Outcome);
        Assert.Equal(200, table.Count);
        Assert.Equal(300, table.SizeOf(1));
        Assert.Equal(0, tiny.Cache.Pile.GetStatistics().Objects);
    }

    [Fact]
    public void ATableFullOfEntriesThatNeverLeaveRefusesTheNext()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, int> entries = tiny.Table<int, int>(new PileTableOptions { MaximumEntries = 100 });
        PileTable<int, byte[]> bytes = tiny.Cache.GetOrCreateTable<int, byte[]>("bytes", new PileTableOptions { MaximumBytes = 100_000 });
        for (int key = 0; key < 1000; key++)
        {
            Assert.Equal(key < 100 ? PileSetOutcome.Inserted : PileSetOutcome.Full, entries.Set(key, key, _kept).Outcome);
            _ = bytes.Set(key, new byte[500], _kept);
            Assert.True(bytes.GetStatistics().EntryBytes <= 100_000);
        }

        Assert.Equal(100, entries.Count);
        Assert.Equal(PileSetOutcome.Full, entries.Set(1001, 1).Outcome);
        Assert.Equal(PileSetOutcome.Full, bytes.Set(1001, new byte[500]).Outcome);
        Assert.Equal(PileSetOutcome.Replaced, entries.Set(5, 1).Outcome);
        Assert.Equal(PileSetOutcome.Inserted, entries.Set(1001, 1).Outcome);
        Assert.False(entries.ContainsKey(5));
        Assert.Equal(100, entries.Count);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void ATablesOwnLimitHoldsWhateverTheHashes(int kind)
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { MaximumEntries = 100, Comparer = new BadComparer(kind) });
        for (int key = 0; key < 1000; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
            Assert.True(table.ContainsKey(key));
            Assert.True(table.Count <= 100, $"{table.Count} entries after key {key}");
        }
    }

    [Fact]
    public void ALeaseHeldForLongCostsNoEntriesBeyondAFewSegmentsAndAllIsWellAfterwards()
    {
        using TinyCache tiny = new(4 << 20, backgroundCleaning: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        int next = 0;
        for (; next < 20_000; next++)
        {
            Assert.True(table.Set(next, new byte[300]).IsStored);
        }

        long before = table.Count;
        PileTable<int, int> small = tiny.Cache.GetOrCreateTable<int, int>("small");
        Assert.True(small.Set(1, 1, _kept).IsStored);
        using (var held = new HeldLease<int>(small, 1))
        {
            for (int more = 0; more < 3000; more++, next++)
            {
                _ = table.Set(next, new byte[300]);
            }

            Assert.True(table.Count > before / 2, $"{table.Count} of {before} entries are left");
        }

        for (int more = 0; more < 20_000; more++, next++)
        {
            Assert.True(table.Set(next, new byte[300]).IsStored, $"key {next} after the lease");
        }

        Assert.True(table.Count > before * 9 / 10, $"{table.Count} of {before} entries afterwards");
    }

    [Fact]
    public void LimitsThatAreLoweredAndRaisedUnderLoadLeaveNothingFull()
    {
        using TinyCache tiny = new(16 << 20, backgroundCleaning: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        int next = 0;
        foreach (int mebibytes in new[] { 16, 4, 12, 3, 16, 6 })
        {
            tiny.Cache.Pile.MemoryLimitBytes = (long)mebibytes << 20;
            for (int more = 0; more < 20_000; more++, next++)
            {
                Assert.True(table.Set(next, new byte[300]).IsStored, $"key {next} at {mebibytes} MiB");
            }

            // What is over a limit that was lowered goes step by step, while entries are stored.
            int sets = 0;
            while (tiny.Cache.Pile.GetStatistics().UsedBytes > (long)mebibytes << 20)
            {
                Assert.True(table.Set(next++, new byte[300]).IsStored);
                Assert.True(++sets < 5_000_000, $"{tiny.Cache.Pile.GetStatistics().UsedBytes:N0} bytes at {mebibytes} MiB");
            }
        }
    }

    [Fact]
    public void ASharedPileServesObjectsAndEntriesUnderChurnOfBoth()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { MemoryLimitBytes = 6 << 20, BackgroundCleaning = true });
        using PileCache cache = PileCache.Share(pile);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
        var pointers = new PilePointer[5000];
        for (int step = 0; step < 100_000; step++)
        {
            Assert.True(table.Set(step, new byte[200]).IsStored, $"step {step}");
            int at = step % pointers.Length;
            if (pointers[at] != default)
            {
                Assert.True(pile.Delete(pointers[at]));
            }

            pointers[at] = pile.PutBytes(new byte[300]);
        }

        PileVerifyReport report = pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
        Assert.Equal(5000, pile.GetStatistics().Objects);
    }
}
