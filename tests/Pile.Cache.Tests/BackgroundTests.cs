// What the keeper does for tables, its steps called one by one: entries that have ended go from memory without any call.
using System;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class BackgroundTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void EntriesThatHaveEndedGoWithoutAnyCallAndNothingIsLeftOfThem(bool isSliding)
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        var random = new Random(11);
        for (int key = 0; key < 20_000; key++)
        {
            TimeSpan life = TimeSpan.FromMilliseconds(random.Next(1, 10_000));
            var options = new PileEntryOptions { TimeToLive = isSliding ? null : life, SlidingExpiration = isSliding ? life : null };
            Assert.True(table.Set(key, new byte[key % 1000 == 0 ? 40_000 : random.Next(100)], options).IsStored);
        }

        long before = 20_000;
        for (int second = 0; second < 10; second++)
        {
            tiny.Clock.Move(TimeSpan.FromSeconds(1));
            tiny.Tick(2);
            Assert.True(table.Count <= before, $"{table.Count} entries after second {second}");
            before = table.Count;
        }

        Assert.True(before < 5000, $"{before} entries after ten seconds");
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        tiny.Tick(2);
        Assert.Equal(0, table.Count);
        Assert.Equal(0, table.GetStatistics().EntryBytes);
        Assert.Equal(0, tiny.Cache.Pile.GetStatistics().LiveBytes);
        Assert.Equal(0, tiny.Cache.Pile.GetStatistics().Objects);
        Assert.Equal(20_000, table.GetStatistics().Expirations);
    }

    [Fact]
    public void EntriesThatAreUsedStayAndTheBackgroundKeepsThem()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, int> table = tiny.Table<int, int>();
        for (int key = 0; key < 2000; key++)
        {
            table.Set(key, key, new PileEntryOptions { SlidingExpiration = TimeSpan.FromSeconds(10) });
        }

        for (int step = 0; step < 5; step++)
        {
            tiny.Clock.Move(TimeSpan.FromSeconds(9));
            for (int key = 0; key < 1000; key++)
            {
                Assert.True(table.TryGet(key, out int value) && value == key);
            }

            tiny.Tick(2);
        }

        Assert.Equal(1000, table.Count);
    }

    [Fact]
    public void ADroppedTablesIndexGoesAfterAnEpoch()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        for (int key = 0; key < 20_000; key++)
        {
            table.Set(key, key);
        }

        tiny.Cache.DropTable("table");
        tiny.Verify();
        tiny.Tick(2);
        Assert.Equal(0, tiny.Cache.GetStatistics().IndexBytes);
    }
}
