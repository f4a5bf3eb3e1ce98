using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Caching.Hybrid;
using Xunit;

namespace Pile.Caching.Tests.Hybrid;

/// <summary>Entries of the cache behind that another program wrote, whole by their checksum.</summary>
public sealed class HybridEnvelopeTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task AnEntryBehindWithMoreOrLongerTagsThanThereMayBeIsAMiss()
    {
        var behind = new FlakyCache();
        var options = new PileHybridCacheOptions { DistributedCache = _ => behind, DistributedKeyPrefix = "p:" };
        using PileCache first = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20, BackgroundCleaning = false });
        await new PileHybridCache(first, options).SetAsync("a", "theirs", tags: ["tag"], cancellationToken: Cancel);
        Assert.True(HybridEnvelope.TryRead(behind.Entries["p:e:a"], out HybridEnvelope? envelope));

        foreach ((int tags, int chars, string expected) in ((int, int, string)[])[(CacheLimits.TagsMax, 10, "theirs"), (CacheLimits.TagsMax + 1, 10, "ours"), (1, 15_360, "theirs"), (1, 15_361, "ours")])
        {
            using PileCache pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20, BackgroundCleaning = false });
            behind.Entries["p:e:a"] = (envelope with { Tags = [.. Enumerable.Range(0, tags).Select(tag => $"tag {tag}".PadRight(chars))] }).ToBytes();
            Assert.Equal(expected, await new PileHybridCache(pile, options).GetOrCreateAsync("a", static _ => new ValueTask<string>("ours"), cancellationToken: Cancel));
        }
    }
}
