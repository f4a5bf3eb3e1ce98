using System;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A copy of a pile whose durable tables change while it is made: it has them as they were when it began, like all else.</summary>
public sealed class CopyMeanwhileTests
{
    private const int Entries = 1000;

    [Theory]
    [InlineData("clear")]
    [InlineData("drop")]
    [InlineData("drop and make again")]
    public void ACopyHasTheTableThatWasThereWhenItBegan(string meanwhile)
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files, limitBytes: 24 << 20);
        var durable = new PileTableOptions { Kind = PileTableKind.Durable };
        PileTable<int, int> table = cache.Table<int, int>(durable);
        for (int key = 0; key < Entries; key++)
        {
            table.Set(key, key);
        }

        cache.Cache.Pile.Commit();
        int told = 0;
        _ = cache.Cache.Pile.CopyTo("/copy", new Telling(() =>
        {
            // By another thread: this one is inside the copy.
            if (told++ == 0)
            {
                Task.Run(() => Change(cache, table, meanwhile, durable)).GetAwaiter().GetResult();
            }
        }), TestContext.Current.CancellationToken);
        Assert.True(told > 0);
        Assert.Equal(meanwhile == "drop and make again" ? 1 : 0, meanwhile == "drop" ? 0 : cache.Table<int, int>().Count);

        using PileCache copy = PileCache.Open("/copy", new PileCacheOptions { MemoryLimitBytes = 24 << 20, TimeProvider = cache.Clock }, MappedCache.Options(files));
        PileTable<int, int> copied = copy.GetOrCreateTable<int, int>("table");
        Assert.Equal(Entries, copied.Count);
        Assert.True(copied.TryGet(Entries - 1, out int value) && value == Entries - 1);
    }

    private static void Change(MappedCache cache, PileTable<int, int> table, string how, PileTableOptions durable)
    {
        if (how == "clear")
        {
            table.Clear();
            return;
        }

        Assert.True(cache.Cache.DropTable("table"));
        if (how != "drop")
        {
            cache.Table<int, int>(durable).Set(1, 2);
        }
    }

    private sealed class Telling(Action tell) : IProgress<PileCopyProgress>
    {
        public void Report(PileCopyProgress value) => tell();
    }
}
