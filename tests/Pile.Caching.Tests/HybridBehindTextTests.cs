using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Keys and tags with half of a surrogate pair, which UTF-8 can't tell from others, before a cache behind.</summary>
public sealed class HybridBehindTextTests : IDisposable
{
    private readonly ManualClock _clock = new();
    private readonly FlakyCache _behind = new();
    private readonly List<PileCache> _piles = [];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _piles.ForEach(static pile => pile.Dispose());

    [Fact]
    public async Task ARemovedTagIsRemovedThereWhateverItsTextIs()
    {
        foreach (string tag in (string[])["x", "x\ud800", "\udc00\ud83d\ude00\ud83d"])
        {
            PileHybridCache here = Machine();
            await here.SetAsync("a", "old", tags: [tag], cancellationToken: Cancel);
            Assert.Equal("old", await PeekAsync(Machine(), "a"));
            _clock.Move(TimeSpan.FromSeconds(1));
            await here.RemoveByTagAsync(tag, Cancel);
            Assert.Null(await PeekAsync(here, "a"));
            Assert.Null(await PeekAsync(Machine(), "a"));
        }
    }

    [Fact]
    public async Task KeysThatACacheOfUtf8CanNotTellApartStayHere()
    {
        PileHybridCache here = Machine();
        foreach (string key in (string[])["a\ud800", "a\ud801"])
        {
            Assert.Equal(key, await here.GetOrCreateAsync(key, key, static (key, _) => new ValueTask<string>(key), cancellationToken: Cancel));
        }

        await here.SetAsync("a\ud802", "set", cancellationToken: Cancel);
        await here.RemoveAsync("a\ud801", Cancel);
        Assert.Equal(("a\ud800", null, "set"), (await PeekAsync(here, "a\ud800"), await PeekAsync(here, "a\ud801"), await PeekAsync(here, "a\ud802")));
        Assert.Empty(_behind.Calls);
    }

    private PileHybridCache Machine()
    {
        PileCache pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 2 << 20, TimeProvider = _clock });
        _piles.Add(pile);
        return new PileHybridCache(pile, new PileHybridCacheOptions { DistributedCache = _ => _behind });
    }

    private static async Task<string?> PeekAsync(PileHybridCache cache, string key) => await cache.GetOrCreateAsync<string?>(
        key, static _ => throw new InvalidOperationException(), new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableUnderlyingData }, cancellationToken: Cancel);
}
