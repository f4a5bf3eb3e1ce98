// Removals by tag in files: exact from the first read after an open on, and rather more than asked for than less where something is lost.
// What the entries themselves survive is RestartTests' business.
using System;
using System.Linq;
using Pile.Cache.Files;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class TagRestartTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void RemovalsHoldFromTheFirstReadAfterACleanStopAndAfterAKill(bool isKilled)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        Fill(first);
        first.Table<int, int>().RemoveByTag("red");
        first.Table<int, int>().Set(4, 4, Tagged("red"));
        first.Cache.RemoveByTag("green");
        using SimulatedFiles? killed = isKilled ? files.Fork() : null;
        if (!isKilled)
        {
            first.Dispose();
        }

        using var second = new MappedCache(killed ?? files, first.Clock);
        PileTable<int, int> table = second.Table<int, int>();
        Assert.Equal([false, true, false, true, true], Enumerable.Range(1, 5).Select(table.ContainsKey));
        Assert.Equal(["table"], second.Cache.TableNames);
        Assert.Equal("table", Assert.Single(second.Cache.Recovery).Name);
        Assert.Equal(2, second.Cache.GetStatistics().RemovedTags);
        Assert.Equal(table.Count, second.Cache.GetStatistics().Entries);

        // What is made now is made after all removals of before, and is removed by those that come.
        table.Set(1, 1, Tagged("red"));
        Assert.True(table.ContainsKey(1));
        table.RemoveByTag("red");
        Assert.Equal([false, true, false, false, true], Enumerable.Range(1, 5).Select(table.ContainsKey));
        second.Cache.RemoveByTag("*");
        Assert.Equal(0, table.Count);
    }

    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    [InlineData(false, true)]
    public void EntriesWithTagsThatAreStoredAfterAClearOfThePileSurviveAnOpen(bool isKilled, bool removes)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, int> table = first.Table<int, int>(DurableTests.Durable);
        table.Set(1, 1, Tagged("red"));
        table.RemoveByTag("red");
        table.RemoveByTag("green");
        first.Cache.Pile.Clear();
        table.Set(2, 2, Tagged("red"));
        table.Set(3, 3, Tagged("blue"));
        if (removes)
        {
            table.RemoveByTag("blue");
        }

        table.Set(4, 4, Tagged("blue"));
        using SimulatedFiles? killed = isKilled ? files.Fork() : null;
        if (!isKilled)
        {
            first.Dispose();
        }

        using var second = new MappedCache(killed ?? files, first.Clock);
        PileTable<int, int> found = second.Table<int, int>(DurableTests.Durable);
        Assert.Equal([false, true, !removes, true], Enumerable.Range(1, 4).Select(found.ContainsKey));
    }

    [Fact]
    public void TagsWithoutARemovalSurviveOpensOneAfterTheOther()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            Fill(first);
        }

        for (int open = 0; open < 4; open++)
        {
            using var next = new MappedCache(files);
            Assert.Equal([true, true, true, false, true], Enumerable.Range(1, 5).Select(next.Table<int, int>().ContainsKey));
        }

        using var last = new MappedCache(files);
        last.Table<int, int>().RemoveByTag("red");
        Assert.Equal([false, true, true, false, true], Enumerable.Range(1, 5).Select(last.Table<int, int>().ContainsKey));
    }

    [Fact]
    public void DurableEntriesKeepTheirTagsAndTheirRemovalsOverAPowerCut()
    {
        for (int seed = 0; seed < 30; seed++)
        {
            using var files = new SimulatedFiles();
            using var first = new MappedCache(files);
            PileTable<int, int> table = first.Table<int, int>(DurableTests.Durable);
            table.Set(1, 1, Tagged("red"));
            table.Set(2, 2, Tagged("blue"));
            table.Set(3, 3);
            table.RemoveByTag("red");
            table.Set(4, 4, Tagged("red"));
            first.Cache.Pile.Commit();

            // What no flush covers may be there or not, one by one.
            first.Cache.RemoveByTag("blue");
            table.RemoveByTag("green");
            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using var second = new MappedCache(cut, first.Clock);
            PileTable<int, int> found = second.Table<int, int>(DurableTests.Durable);
            Assert.False(found.ContainsKey(1), $"seed {seed}: removed by a tag, and there again");
            Assert.True(found.ContainsKey(3), $"seed {seed}: an entry without a tag is gone");
            Assert.True(found.ContainsKey(4), $"seed {seed}: stored after the removal, and gone");
            bool isBlueThere = found.ContainsKey(2);

            // Whatever it is, it stays that.
            second.Dispose();
            using var third = new MappedCache(cut, first.Clock);
            Assert.Equal([false, isBlueThere, true, true], Enumerable.Range(1, 4).Select(third.Table<int, int>(DurableTests.Durable).ContainsKey));
        }
    }

    [Fact]
    public void DurableEntriesAreServedPastTheirEndAndKeepTheirTagsOfLargeValuesToo()
    {
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        var options = new PileFactoryOptions
        {
            Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10), Tags = ["red", "blue"] },
            FailSafe = TimeSpan.FromSeconds(60),
        };
        byte[] large = new byte[40_000];
        large[^1] = 7;
        using (var first = new MappedCache(files, clock))
        {
            PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
            _ = table.GetOrAdd(1, _ => large, options);
            _ = table.GetOrAdd(2, static _ => [1, 2], options);
            table.Set(3, large, options.Entry);
            Assert.Equal([1, 2], table.GetOrAdd(2, static _ => [], options));
        }

        using (var second = new MappedCache(files, clock))
        {
            PileTable<int, byte[]> table = second.Table<int, byte[]>(DurableTests.Durable);
            Assert.True(table.TryGet(1, out byte[]? value) && value.AsSpan().SequenceEqual(large));
            Assert.True(table.TryGet(3, out value) && value.AsSpan().SequenceEqual(large));
            clock.Move(TimeSpan.FromSeconds(20));
            second.Tick();
            Assert.False(table.ContainsKey(1));
            Assert.Equal(large, table.GetOrAdd(1, static _ => throw new InvalidOperationException("down"), options));
            Assert.Equal([1, 2], table.GetOrAdd(2, static _ => throw new InvalidOperationException("down"), options));
            table.Set(3, large, options.Entry);
            table.RemoveByTag("blue");
        }

        using var third = new MappedCache(files, clock);
        PileTable<int, byte[]> last = third.Table<int, byte[]>(DurableTests.Durable);
        Assert.Equal([false, false, false], Enumerable.Range(1, 3).Select(last.ContainsKey));
        Assert.Throws<InvalidOperationException>(() => last.GetOrAdd(1, static _ => throw new InvalidOperationException("down"), options));
    }

    /// <summary>A cut leaves some of the removals that no flush had covered. The open behind it may be one without a cache: the one that has it again tells that from a loss.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void WhatACutTookOfTheRemovalsIsNoLossForALaterOpen(bool isKilled)
    {
        const int Tags = 50;
        int partly = 0;
        for (int seed = 1; seed <= 60; seed++)
        {
            using var files = new SimulatedFiles();
            using var first = new MappedCache(files);
            PileTable<int, int> before = first.Table<int, int>(DurableTests.Durable);
            before.Set(1, 1, Tagged("red"));
            first.Cache.Pile.Commit();
            for (int tag = 0; tag < Tags; tag++)
            {
                before.RemoveByTag($"tag {tag}");
            }

            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using SimulatedFiles left = isKilled ? OpenAlone(cut) : cut.Fork();
            if (!isKilled)
            {
                OpenAlone(left).Dispose();
            }

            using var later = new MappedCache(left, first.Clock);
            Assert.True(later.Table<int, int>(DurableTests.Durable).ContainsKey(1), $"seed {seed}");
            Assert.NotEqual(PileOpening.Crawled, later.Cache.Pile.RecoveryReport().Opening);
            partly += later.Cache.GetStatistics().RemovedTags is > 0 and < Tags ? 1 : 0;
        }

        Assert.True(partly > 0, "no cut took some of the removals");
    }

    /// <summary>Killed amid a removal, before it was counted.</summary>
    [Fact]
    public void OneThatIsNotCountedYetIsNoLoss()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        Fill(first);
        PileTable<UInt128, UInt128> own = Removed(first, "other");
        own.Set(UInt128.MaxValue, own.TryGet(UInt128.MaxValue, out UInt128 head) ? head - 1 : 0);
        using SimulatedFiles killed = files.Fork();
        using var next = new MappedCache(killed, first.Clock);
        Assert.Equal([true, true, true, false, true], Enumerable.Range(1, 5).Select(next.Table<int, int>().ContainsKey));
        Assert.Equal(1, next.Cache.GetStatistics().RemovedTags);
    }

    [Fact]
    public void WhereRemovalsAreLostAllEntriesWithTagsAreRemovedAndStayRemoved()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        Fill(first);
        first.Table<int, int>().RemoveByTag("other");
        Assert.True(first.Cache.OwnTable<UInt128, UInt128>(TagTable.Name, null).Remove(UInt128.MaxValue));
        using SimulatedFiles killed = files.Fork();
        for (int open = 0; open < 3; open++)
        {
            using var next = new MappedCache(killed, first.Clock);
            PileTable<int, int> table = next.Table<int, int>();
            Assert.Equal([open > 0, false, false, false, true], Enumerable.Range(1, 5).Select(table.ContainsKey));
            table.Set(1, 1, Tagged("red"));
        }
    }

    [Fact]
    public void WhereThereIsNoRoomToKeepARemovalItIsRefusedAndTheNextOpenRemovesNoMore()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files, limitBytes: 3 << 20, flushes: true);
        _ = first.Table<int, int>(new PileTableOptions { DefaultPriority = PileCachePriority.NeverRemove });
        Fill(first);
        PileTable<int, byte[]> full = first.Cache.GetOrCreateTable<int, byte[]>("full", new PileTableOptions { DefaultPriority = PileCachePriority.NeverRemove });
        for (int bytes = 4000; bytes > 0; bytes /= 4)
        {
            for (int key = 0; full.Add((bytes * 10_000) + key, new byte[bytes]).IsStored; key++)
            {
            }
        }

        PileTable<int, int> table = first.Table<int, int>();
        int refused = Enumerable.Range(0, 500).Count(tag => Record.Exception(() => table.RemoveByTag($"tag {tag}")) is PileFullException);
        Assert.NotEqual(0, refused);
        _ = Assert.Throws<PileFullException>(() => table.RemoveByTag("red"));

        // The only one that has the tag, if it was to make room.
        bool isThere = table.ContainsKey(1);
        Assert.Equal([isThere, true, true, false, true], Enumerable.Range(1, 5).Select(table.ContainsKey));
        using SimulatedFiles killed = files.Fork();
        using (var second = new MappedCache(killed, first.Clock, 3 << 20))
        {
            Assert.Equal([isThere, true, true, false, true], Enumerable.Range(1, 5).Select(second.Table<int, int>().ContainsKey));
        }

        full.RemoveMany<int, byte[]>([.. full.Enumerate().Select(static item => item.Key)]);
        table.RemoveByTag("red");
        Assert.False(table.ContainsKey(1));
        using SimulatedFiles later = files.Fork();
        using var third = new MappedCache(later, first.Clock, 3 << 20);
        Assert.Equal([false, true, true, false, true], Enumerable.Range(1, 5).Select(third.Table<int, int>().ContainsKey));
    }

    [Fact]
    public void ThePilesClearTakesEntriesAndRemovalsAndTagsGoOnWorking()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            Fill(first);
            first.Table<int, int>().RemoveByTag("red");
            first.Cache.Pile.Clear();
            first.Table<int, int>().Set(2, 2, Tagged("red"));
            Assert.True(first.Table<int, int>().ContainsKey(2));
            first.Table<int, int>().RemoveByTag("red");
            Assert.False(first.Table<int, int>().ContainsKey(2));
        }

        using var second = new MappedCache(files);
        Assert.False(second.Table<int, int>().ContainsKey(2));
    }

    [Fact]
    public void TheTableOfRemovalsIsNobodyElses()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files);
        cache.Table<int, int>().RemoveByTag("red");

        Assert.Throws<ArgumentException>(() => cache.Cache.GetOrCreateTable<UInt128, UInt128>(TagTable.Name));
        Assert.False(cache.Cache.DropTable(TagTable.Name));
    }

    private static PileEntryOptions Tagged(params string[] tags) => new() { Tags = tags };

    private static void Fill(MappedCache cache)
    {
        PileTable<int, int> table = cache.Table<int, int>();
        table.Set(1, 1, Tagged("red"));
        table.Set(2, 2, Tagged("blue"));
        table.Set(3, 3, Tagged("blue", "green"));
        table.Set(5, 5);
    }

    private static PileTable<UInt128, UInt128> Removed(MappedCache cache, string tag)
    {
        cache.Table<int, int>().RemoveByTag(tag);
        return cache.Cache.OwnTable<UInt128, UInt128>(TagTable.Name, null);
    }

    /// <summary>Opens the pile without a cache, and closes it.</summary>
    /// <returns>What a kill before the close would have left.</returns>
    private static SimulatedFiles OpenAlone(SimulatedFiles files)
    {
        using ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files) with { DiskLimitBytes = 8 << 20 });
        return files.Fork();
    }
}
