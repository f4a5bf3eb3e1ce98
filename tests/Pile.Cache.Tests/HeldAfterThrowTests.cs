using System;
using System.Buffers.Binary;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Engine;
using Pile.Cache.Index;
using Pile.Cache.Keys;
using Pile.Cache.Tests.Model;
using Pile.Tests;
using Pile.Tests.Memory;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Primitives;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A call that throws midway holds nothing afterwards: no stripe, writer, chain or epoch, and no pages without an entry.</summary>
public sealed class HeldAfterThrowTests
{
    private const int Large = 30_000;
    private const int LimitMs = 60_000;

    [Theory]
    [InlineData("memory")]
    [InlineData("limited")]
    [InlineData("files")]
    [InlineData("durable")]
    public Task ACallWhoseComparerThrowsHoldsNothingAfterwards(string kind) => OnItsOwn(() =>
    {
        using var files = new SimulatedFiles();
        var comparer = new CountdownComparer();
        PileCacheOptions options = new() { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false };
        using PileCache cache = kind is "memory" or "limited"
            ? PileCache.Create(options, PileOptions.Tiny with { WritersMax = 1 })
            : PileCache.Open(MappedCache.Directory, options, MappedCache.Options(files) with { WritersMax = 1 });
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", new PileTableOptions
        {
            Comparer = comparer,
            Kind = kind == "durable" ? PileTableKind.Durable : PileTableKind.Speculative,
            MaximumEntries = kind == "limited" ? 4 : null,
        });
        Action[] calls =
        [
            () => table.Set(1, new byte[100]),
            () => table.Set(1, new byte[Large]),
            () => table.Set(1, new byte[Large + 1]),
            () => table.Set(1, new byte[101]),
            () => table.Add(9, new byte[Large]),
            () => table.Add(9, new byte[10]),
            () => table.Replace(3, new byte[Large]),
            () => table.Remove(9),
            () => table.Remove(3),
            () => table.TryGet(2, out _),
            () => table.CopyTo(2, new byte[10]),
            () => table.ContainsKey(2),
            () => table.GetMany(Enumerable.Range(0, 20).ToArray(), new byte[]?[20]),
            () => table.SetMany([2, 10], [new byte[5], new byte[Large]]),
            () => table.RemoveMany([10, 2]),
            () => table.Expire(1),
            () => table.TryGetExpiration(1, out _),
            () => table.SetPointer(4, cache.Pile.Put(new byte[50])),
            () => table.GetOrAdd(11, static _ => new byte[7]),
        ];
        foreach (int key in (int[])[1, 2, 3])
        {
            table.Set(key, new byte[100]);
        }

        int thrown = 0;
        for (int call = 0; call < calls.Length; call++)
        {
            int throwsAt = 0;
            bool isDone = false;
            while (!isDone)
            {
                comparer.Arm(++throwsAt);
                try
                {
                    calls[call]();
                    isDone = true;
                }
                catch (NotSupportedException)
                {
                    thrown++;
                }

                comparer.Arm(0);
                Assert.True(cache.Pile.GetStatistics().ThreadsInside == 0, $"call {call}, comparison {throwsAt}");
                OwnThread.Start(() =>
                {
                    table.Set(100, new byte[20]);
                    Assert.True(table.Remove(100));
                }).Join();
            }
        }

        Assert.True(thrown > calls.Length, $"{thrown}");
        Assert.Equal(0, cache.Pile.GetStatistics().ThreadsInside);
        AssertNothingLeft(cache, table);
    });

    /// <summary>What has taken place is told and counted, and its chain unlocked, whoever interrupts the thread that waits for its turn to tell.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task ACallThatIsInterruptedBeforeItTellsGoesOn(bool isDurable) => OnItsOwn(() =>
    {
        using TinyCache tiny = new(inFiles: isDurable);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = isDurable ? PileTableKind.Durable : PileTableKind.Speculative });
        using PileSubscription watch = table.Subscribe(static _ => { });
        Lock gate = table.Parts.Watchers.Ring!.Gate;
        Interrupted.AssertToldLater(gate, () => table.Set(1, new byte[Large]));
        Assert.True(table.TryGet(1, out byte[]? value));
        Assert.Equal(Large, value!.Length);
        Assert.True(table.Remove(1));
        Assert.Equal(0, table.Count);
    });

    /// <summary>A removal by tag is told to the watchers of all tables at one moment, and holds what they take until then.</summary>
    [Fact]
    public Task ARemovalByTagThatIsInterruptedBeforeItTellsGoesOn() => OnItsOwn(() =>
    {
        using TinyCache tiny = new();
        PileTable<int, int>[] tables = [tiny.Table<int, int>(), tiny.Cache.GetOrCreateTable<int, int>("other")];
        PileWatch<int>[] watches = [.. tables.Select(static table => table.Watch())];
        foreach (PileTable<int, int> table in tables)
        {
            table.Set(1, 1, new PileEntryOptions { Tags = ["red"] });
        }

        Lock gate = tables[1].Parts.Watchers.Ring!.Gate;
        Interrupted.AssertToldLater(gate, () => tiny.Cache.RemoveByTag("red"));
        for (int index = 0; index < tables.Length; index++)
        {
            Assert.False(tables[index].ContainsKey(1));
            Assert.True(tables[index].Set(2, 2).IsStored);
            Assert.True(watches[index].TryRead(out PileTableEvent<int> stored) && stored.Kind == PileEventKinds.Inserted);
            Assert.True(watches[index].TryRead(out PileTableEvent<int> told) && told.Kind == PileEventKinds.TagRemoved);
            watches[index].Dispose();
        }
    });

    /// <summary>Whichever call for memory throws, be it for buckets of an index or for the table of ghosts, what it was for is taken from the limit no longer.</summary>
    [Fact]
    public Task AnAllocationThatThrowsLeavesTheLimitAsItWas() => OnItsOwn(() =>
    {
        var regions = new ThrowingRegions();
        int throwsAt = 0;
        int thrown;
        do
        {
            regions.ThrowsAt = 0;
            using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20, BackgroundCleaning = false }, PileOptions.Tiny with { Regions = regions, WritersMax = 1 });
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
            regions.Arm(++throwsAt);
            thrown = 0;
            for (int key = 0; key < 8_000; key++)
            {
                try
                {
                    _ = table.Set(key, new byte[50]);
                }
                catch (InsufficientMemoryException)
                {
                    thrown++;
                    PileVerifyReport report = cache.Pile.Verify();
                    Assert.True(report.IsGood, $"call {throwsAt}: {string.Join("; ", report.Findings)}");
                }
            }

            PileVerifyReport last = cache.Pile.Verify();
            Assert.True(last.IsGood, $"call {throwsAt}: {string.Join("; ", last.Findings)}");
        }
        while (thrown > 0);
        Assert.InRange(throwsAt, 20, 1000);
    });

    /// <summary>A split that finds no memory for the chain that it makes leaves both as they were, though the call for memory throws.</summary>
    [Fact]
    public Task ASplitWhoseCallForMemoryThrowsLeavesItsChainsUnlockedAndWhole() => OnItsOwn(() =>
    {
        var regions = new ThrowingRegions();
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20, BackgroundCleaning = false }, PileOptions.Tiny with { Regions = regions, WritersMax = 1 });
        PileTable<int, int> table = cache.GetOrCreateTable<int, int>("table");
        TableBase parts = table.Parts;
        int keys = 0;
        byte[] key = new byte[sizeof(int)];

        // While nothing is split chains grow, to several buckets, until there is none left for the next one. The chain that the split makes is among them: whatever
        // the table's seed, more keys go there than a bucket holds.
        parts.Growth.WhileStill(() => OwnThread.Start(() =>
        {
            for (int moving = 0; moving < 3 * CacheLimits.BucketCells; keys++)
            {
                BinaryPrimitives.WriteInt32LittleEndian(key, keys);
                uint hash = (uint)KeyHash.Of(key, parts.Seed.Value);
                if (TableIndex.HomeOf(hash, parts.Index.Homes + 1) == parts.Index.Homes)
                {
                    Assert.True(table.Set(keys, keys).IsStored);
                    moving++;
                }
            }

            for (int usedUp = 0; usedUp < 5; keys++)
            {
                regions.Arm(1);
                try
                {
                    _ = table.Set(keys, keys);
                }
                catch (InsufficientMemoryException failure)
                {
                    usedUp += failure.StackTrace!.Contains(nameof(BucketMemory.TryTakeOverflow), StringComparison.Ordinal) ? 1 : 0;
                    regions.ThrowsAt = 0;
                    _ = usedUp == 5 || table.Set(keys, keys).IsStored;
                }
            }
        }).Join());
        uint homes = parts.Index.Homes;
        long count = table.Count;

        // The first call is for the chain's first bucket, the second for others.
        regions.Arm(2);
        InsufficientMemoryException thrown = Assert.Throws<InsufficientMemoryException>(() => parts.Growth.Grow(cells: long.MaxValue / 100, splitsMax: 1));
        Assert.Contains(nameof(BucketMemory.TryTakeOverflow), thrown.StackTrace, StringComparison.Ordinal);
        Assert.Equal(homes, parts.Index.Homes);
        Verify();
        Assert.True(parts.Growth.Grow(cells: long.MaxValue / 100, splitsMax: 1));
        Assert.Equal(homes + 1, parts.Index.Homes);
        Verify();

        void Verify()
        {
            Assert.True(cache.Pile.Verify().IsGood);
            Assert.Equal(count, Enumerable.Range(0, keys).Count(key => table.TryGet(key, out int value) && value == key));
        }
    });

    private static void AssertNothingLeft(PileCache cache, PileTable<int, byte[]> table)
    {
        PileVerifyReport report = cache.Pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
        table.Clear();
        Assert.Equal(0, table.Count);
        for (int step = 0; step < 3; step++)
        {
            if (cache.Pile.Durable is not null)
            {
                cache.Pile.Commit();
            }

            // What is stored and removed deletes what waits for a flush, too.
            table.Set(1, new byte[Large]);
            Assert.True(table.Remove(1));
        }

        if (cache.Pile.Durable is not null)
        {
            cache.Pile.Commit();
        }

        _ = cache.Pile.Core.Large.Reclaim(waitMs: 1000);
        Assert.Equal(0, cache.Pile.Core.Large.UsedBytes);
        Assert.True(cache.Pile.Verify().IsGood);
    }

    private static Task OnItsOwn(Action work) => Task.Factory.StartNew(work, TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        .WaitAsync(TimeSpan.FromMilliseconds(LimitMs), TestContext.Current.CancellationToken);
}
