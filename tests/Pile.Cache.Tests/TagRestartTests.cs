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
}
