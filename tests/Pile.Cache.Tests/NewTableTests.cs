using System;
using Pile.Cache.Tests.Model;
using Pile.Memory;
using Pile.Tests.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A table that can't be made in files: nothing of it stays, neither mapped nor on the device, nor in what the next open says.</summary>
public sealed class NewTableTests
{
    [Theory]
    [InlineData(FileFailure.NoSpace)]
    [InlineData(FileFailure.Other)]
    internal void ATableThatFailsAtAnyCallLeavesNothing(FileFailure kind)
    {
        int failed = 0;
        for (int call = 1; ; call++)
        {
            using var files = new SimulatedFiles();
            var regions = new FailingRegions(int.MaxValue, forEver: false);
            PileCache cache = Open(files, regions);
            try
            {
                cache.GetOrCreateTable<int, int>("old").Set(1, 7);
                (long mapped, long used, int first) = (regions.MappedBytes, cache.Pile.GetStatistics().UsedBytes, files.Calls);
                files.FailAt(first + call, kind);
                Exception? failure = Record.Exception(() => cache.GetOrCreateTable<int, int>("new"));
                if (failure is null && files.Calls < first + call)
                {
                    break;
                }

                if (failure is not null)
                {
                    failed++;
                    Assert.False(kind == FileFailure.Other && failure is PileFullException, failure.ToString());
                    Assert.True(failure is PileException || failure.GetType() == typeof(System.IO.IOException), failure.ToString());
                    Assert.Equal(mapped, regions.MappedBytes);
                    Assert.Equal(used, cache.Pile.GetStatistics().UsedBytes);
                    Assert.Single(files.List(MappedCache.Directory), static name => name.StartsWith("index.", StringComparison.Ordinal));
                }
            }
            finally
            {
                // Where a call failed after which the files are not to be trusted, the close says so too.
                Exception? close = Record.Exception(cache.Dispose);
                Assert.True(close is null || close.Message.Contains("It is closed all the same", StringComparison.Ordinal), close?.ToString());
            }

            using PileCache again = Open(files, new FailingRegions(int.MaxValue, forEver: false));
            Assert.All(again.Recovery, static table => Assert.True(table.IsKept, table.Reason));
            Assert.True(again.GetOrCreateTable<int, int>("old").TryGet(1, out int value));
            Assert.Equal(7, value);
        }

        Assert.True(failed > 3, $"{failed} calls failed the table");
    }

    /// <summary>A cache that is full of what may be evicted is as caches are: entries leave for the index of a table too.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void EntriesLeaveForTheIndexOfATable(bool isInFiles)
    {
        using var files = new SimulatedFiles();
        using PileCache cache = isInFiles
            ? Open(files, new FailingRegions(int.MaxValue, forEver: false), limitBytes: 4 << 20)
            : PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20, BackgroundCleaning = false });
        PileTable<int, byte[]> full = cache.GetOrCreateTable<int, byte[]>("full");
        int key = 0;
        for (int table = 0; table < 30; table++)
        {
            for (int more = 0; more < 4000; more++)
            {
                Assert.True(full.Set(key++, new byte[500]).IsStored);
            }

            PileTable<int, int> made = cache.GetOrCreateTable<int, int>($"table {table}");
            Assert.True(made.Set(1, table, new PileEntryOptions { Tags = ["tag"] }).IsStored);
        }

        Assert.NotEqual(0, full.GetStatistics().Evictions);
        cache.RemoveByTag("tag");
    }

    [Fact]
    public void ATableWithoutRoomForItsIndexLeavesNothing()
    {
        using var files = new SimulatedFiles();
        var regions = new FailingRegions(int.MaxValue, forEver: false);
        int tables = 0;
        using (PileCache cache = Open(files, regions, limitBytes: 1 << 20))
        {
            long mapped = 0;
            Exception? failure = null;
            for (; failure is null; tables++)
            {
                mapped = regions.MappedBytes;
                failure = Record.Exception(() => cache.GetOrCreateTable<int, int>($"table {tables}"));
            }

            Assert.IsType<PileFullException>(failure);
            Assert.Contains("MemoryLimitBytes", failure.Message, StringComparison.Ordinal);
            Assert.Equal(mapped, regions.MappedBytes);
        }

        using PileCache again = Open(files, new FailingRegions(int.MaxValue, forEver: false), limitBytes: 4 << 20);
        Assert.Equal(tables - 1, again.Recovery.Count);
        Assert.All(again.Recovery, static table => Assert.True(table.IsKept, table.Reason));
    }

    [Fact]
    public void ATableWithoutAddressSpaceLeavesNothing()
    {
        int failed = 0;
        int calls = CallsOfAnOpen();
        for (int call = calls + 1; call <= calls + 4; call++)
        {
            using var files = new SimulatedFiles();
            var regions = new FailingRegions(call, forEver: true);
            using (PileCache cache = Open(files, regions))
            {
                long mapped = regions.MappedBytes;
                if (Record.Exception(() => cache.GetOrCreateTable<int, int>("new")) is { } failure)
                {
                    failed++;
                    Assert.IsAssignableFrom<PileException>(failure);
                    Assert.Equal(mapped, regions.MappedBytes);
                    Assert.DoesNotContain(files.List(MappedCache.Directory), static name => name.StartsWith("index.", StringComparison.Ordinal));
                }
            }

            Assert.Equal(0, regions.MappedBytes);
        }

        // The reservation for the state words, and the one for the buckets.
        Assert.Equal(2, failed);
    }

    private static int CallsOfAnOpen()
    {
        using var files = new SimulatedFiles();
        var regions = new FailingRegions(int.MaxValue, forEver: false);
        using PileCache cache = Open(files, regions);
        return regions.Calls;
    }

    private static PileCache Open(SimulatedFiles files, RegionProvider regions, long limitBytes = 8 << 20) => PileCache.Open(
        MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = limitBytes, BackgroundCleaning = false }, MappedCache.Options(files) with { Regions = regions });
}
