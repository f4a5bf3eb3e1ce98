using System;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Cache.Tests.Files;

/// <summary>A durable table whose index a real device refused to take: what PoisonedTablesTests simulates.</summary>
[Trait("Category", "Foreign")]
public sealed class RefusedIndexTests
{
    private const int Keys = 20_000;

    [Theory]
    [InlineData("ext4", "index.*")]
    [InlineData("xfs", "index.*")]
    [InlineData("layers", "index.*")]
    [InlineData("ext4", "table.*")]
    public void IsAMissUntilTheNextOpenWhichFindsAll(string kind, string files)
    {
        var options = new PileCacheOptions { MemoryLimitBytes = 32 << 20 };
        using var device = RefusingDevice.Of(kind, 400);
        using (PileCache first = PileCache.Open(device.Path, options))
        {
            Set(first, "older");
        }

        PileCache cache = PileCache.Open(device.Path, options);
        PileTable<int, string> table = Set(cache, "value");
        string lost = Assert.Single(Directory.GetFiles(device.Path, files));
        device.FailWriteback(lost);
        RefusingDevice.Evict(lost);
        Assert.True(SpinWait.SpinUntil(() => cache.Pile.GetStatistics().Failure is not null, TimeSpan.FromSeconds(60)));

        // Waits until it has been told.
        cache.Pile.Durable!.Failed.Look(static _ => { });
        Assert.All(Enumerable.Range(0, Keys), key => Assert.False(table.TryGet(key, out _)));
        _ = Assert.Throws<PilePoisonedException>(() => table.Set(1, "late"));
        _ = Record.Exception(cache.Dispose);

        using PileCache again = PileCache.Open(device.Path, options);
        PileTable<int, string> found = again.GetOrCreateTable<int, string>("durable", DurableTests.Durable);
        Assert.All(Enumerable.Range(0, Keys), key => Assert.True(found.TryGet(key, out string? value) && value == $"value {key}"));
        Assert.True(again.Pile.Verify().IsGood);
    }

    /// <summary>In the order of other keys than before: with an index that is as it was, entries would be found all the same.</summary>
    private static PileTable<int, string> Set(PileCache cache, string word)
    {
        PileTable<int, string> table = cache.GetOrCreateTable<int, string>("durable", DurableTests.Durable);
        foreach (int key in Enumerable.Range(0, Keys))
        {
            _ = table.Remove(key);
        }

        Assert.All(word == "older" ? Enumerable.Range(0, Keys) : Enumerable.Range(1, Keys).Select(key => Keys - key), key => Assert.True(table.Set(key, $"{word} {key}").IsStored));
        cache.Pile.Commit();
        return table;
    }
}
