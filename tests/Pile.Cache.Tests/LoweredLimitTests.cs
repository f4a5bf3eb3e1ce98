using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A limit that is lowered while nobody stores anything: the keeper alone comes below it.</summary>
public sealed class LoweredLimitTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheKeeperEvictsBelowALimitThatWasLoweredAlsoFromTablesThatNobodyAskedFor(bool asks)
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            PileTable<int, byte[]> table = first.Table<int, byte[]>();
            for (int key = 0; key < 4000; key++)
            {
                Assert.True(table.Set(key, new byte[1000]).IsStored);
            }

            // All of them were used, and survive a first look.
            for (int round = 0; round < 4; round++)
            {
                for (int key = 0; key < 4000; key++)
                {
                    Assert.True(table.TryGet(key, out _));
                }
            }
        }

        using var second = new MappedCache(files, flushes: true);
        if (asks)
        {
            Assert.Equal(4000, second.Table<int, byte[]>().Count);
        }

        second.Cache.Pile.MemoryLimitBytes = 2 << 20;
        int ticks = 0;
        while (second.Cache.Pile.GetStatistics().UsedBytes > 2 << 20 && ticks < 100)
        {
            second.Cache.Pile.Commit();
            second.Tick();
            ticks++;
        }

        Assert.InRange(second.Cache.Pile.GetStatistics().UsedBytes, 1, 2 << 20);
        Assert.InRange(second.Table<int, byte[]>().Count, 500, 2000);
    }
}
