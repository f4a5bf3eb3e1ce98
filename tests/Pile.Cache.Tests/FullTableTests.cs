// Removals from a durable table of a pile in files that has no room left: each of them appends a tombstone.
using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Epochs;
using Pile.Format;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Segments;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class FullTableTests(ITestOutputHelper output)
{
    /// <summary>The cleaner has one segment for what deletions leave. Whoever took it, it serves the other writers as well.</summary>
    [Fact]
    public void EntriesAreRemovedWithWhicheverWriter()
    {
        const int Removed = 200;
        using var files = new SimulatedFiles();
        using PileCache cache = PileCache.Open(
            MappedCache.Directory,
            new PileCacheOptions { MemoryLimitBytes = 3 << 20, TimeProvider = new ManualClock(), BackgroundCleaning = false },
            MappedCache.Options(files) with { WritersMax = 2 });
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", DurableTests.Durable);
        int stored = 0;
        foreach (int bytes in new[] { 1000, 100, 10, 1 })
        {
            while (table.Set(stored, new byte[bytes]).IsStored)
            {
                stored++;
            }
        }

        WriterSet<DurableRecord> writers = cache.Pile.Durable!.Core.Writers;
        using (new HeldWriter(writers))
        {
            Assert.True(table.Remove(0));
            Assert.Equal(1, EpochLine.Current.Writer);
        }

        Assert.All(Enumerable.Range(1, Removed - 1), key =>
        {
            EpochLine line = EpochLine.Current;
            line.Writer = key % 2;
            writers.NoteFlush();
            Assert.True(table.Remove(key));
        });
        Assert.Equal(stored - Removed, table.Count);
        Assert.True(cache.Pile.Verify().IsGood);
    }

    /// <summary>What the index takes is not of what is kept for deletions, wherever the limit comes between two of its steps.</summary>
    [Theory]
    [InlineData(100)]
    [InlineData(0)]
    public void FromAFullTableAllIsRemovedWhateverTheIndexTook(int bytes)
    {
        for (int step = 0; step < 17; step++)
        {
            using var files = new SimulatedFiles();
            using PileCache cache = PileCache.Open(
                MappedCache.Directory,
                new PileCacheOptions { MemoryLimitBytes = (3 << 20) + (step * 4096), TimeProvider = new ManualClock(), BackgroundCleaning = false },
                MappedCache.Options(files));
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", DurableTests.Durable);
            int stored = 0;
            for (int refused = 0; refused < 20; refused++)
            {
                while (table.Set(stored, new byte[bytes]).IsStored)
                {
                    stored++;
                }
            }

            for (int key = 0; key < stored; key++)
            {
                Assert.True(table.Remove(key), $"step {step}");
            }

            Assert.Equal(0, table.Count);
            Assert.True(cache.Pile.Verify().IsGood);
        }
    }

    /// <summary>Segments double in size where a pile has 16 MiB of them, and with them what is kept for deletions.</summary>
    [Fact]
    public void FromAFullTableAllIsRemovedWhereSegmentsDouble()
    {
        for (int step = 0; step < 8; step++)
        {
            using var files = new SimulatedFiles();
            using PileCache cache = PileCache.Open(
                MappedCache.Directory,
                new PileCacheOptions { MemoryLimitBytes = 17_320_000 + (step * 60_000), TimeProvider = new ManualClock(), BackgroundCleaning = false },
                new PileOptions { Files = files, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) });
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", DurableTests.Durable);
            int stored = 0;
            while (table.Set(stored, new byte[900]).IsStored)
            {
                stored++;
            }

            for (int key = 0; key < stored; key++)
            {
                Assert.True(table.Remove(key), $"step {step}");
            }

            Assert.Equal(0, table.Count);
        }
    }

    [Fact]
    public void FromAFullCacheAllIsRemoved() => Run(first: 0, runs: 6);

    [Fact]
    [Trait("Category", "Soak")]
    public void FromManyFullCachesAllIsRemoved() => Run(first: 1000, runs: 2000);

    private void Run(int first, int runs)
    {
        for (int run = first; run < first + (Seeds.IsGiven ? 1 : runs); run++)
        {
            int seed = Seeds.Next(run);
            var full = new FullCacheRun(seed);
            output.WriteLine($"seed {seed}: {full}");
            full.Run();
        }
    }
}
