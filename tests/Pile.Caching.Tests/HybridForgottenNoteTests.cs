using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>A cache behind that had no room for the note of a tag's removal any more, and still has entries that it is of.</summary>
public sealed class HybridForgottenNoteTests : IDisposable
{
    private readonly ManualClock _clock = new();
    private readonly FlakyCache _behind = new();
    private readonly List<PileCache> _piles = [];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _piles.ForEach(static pile => pile.Dispose());

    [Theory]
    [InlineData("x")]
    [InlineData("*")]
    public async Task WhatAMachineHasRemovedItDoesNotReadThereAgain(string tag)
    {
        PileHybridCache here = Machine();
        await Machine().SetAsync("a", "old", tags: ["x", "y"], cancellationToken: Cancel);
        await Machine().SetAsync("b", "other", cancellationToken: Cancel);
        _clock.Move(TimeSpan.FromSeconds(1));
        await here.RemoveByTagAsync(tag, Cancel);
        Assert.True(_behind.Entries.TryRemove("pile:t:" + tag, out _));

        Assert.Null(await PeekAsync(here, "a"));
        Assert.Equal(tag == "*" ? null : "other", await PeekAsync(here, "b"));
        _clock.Move(TimeSpan.FromSeconds(1));
        await Machine().SetAsync("a", "new", tags: ["x", "y"], cancellationToken: Cancel);
        Assert.Equal("new", await PeekAsync(here, "a"));
    }

    [Fact]
    public async Task WithMoreRemovedTagsThanAreRememberedNoOlderEntryWithTagsIsReadThere()
    {
        PileHybridCache here = Machine();
        await Machine().SetAsync("a", "old", tags: ["x"], cancellationToken: Cancel);
        await Machine().SetAsync("b", "other", cancellationToken: Cancel);
        _clock.Move(TimeSpan.FromSeconds(1));
        await here.RemoveByTagAsync("x", Cancel);
        for (int tag = 0; tag <= CachingLimits.DoubtsMax; tag++)
        {
            await here.RemoveByTagAsync($"tag {tag}", Cancel);
        }

        _behind.Entries.Keys.Where(static key => key.StartsWith("pile:t:", StringComparison.Ordinal)).ToList().ForEach(note => _behind.Entries.TryRemove(note, out _));
        Assert.Equal((null, "other"), (await PeekAsync(here, "a"), await PeekAsync(here, "b")));
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
