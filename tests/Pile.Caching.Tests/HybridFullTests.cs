using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>The HybridCache in a directory that durable entries have filled: there is no room for what is noted of its first tag.</summary>
public sealed class HybridFullTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly PileCache _pile;
    private readonly PileHybridCache _cache;

    public HybridFullTests()
    {
        _pile = PileCache.Open(_directory.Path, new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        _cache = new PileHybridCache(_pile);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _pile.Dispose();
        _directory.Dispose();
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCacheRead)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCacheWrite)]
    public async Task WhatAFactoryHasMadeIsAnsweredThoughItsTagsCanNotBeNoted(HybridCacheEntryFlags flags)
    {
        await FillAsync();
        Assert.Equal("made", await _cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult("made"), new HybridCacheEntryOptions { Flags = flags }, ["tag"], Cancel));
    }

    [Fact]
    public async Task ASetWithTagsThatCanNotBeNotedLeavesNoValueOfBefore()
    {
        await FillAsync();
        await _cache.SetAsync("kept", "new", tags: ["tag"], cancellationToken: Cancel);
        Assert.Equal("made", await _cache.GetOrCreateAsync("kept", static _ => ValueTask.FromResult("made"), cancellationToken: Cancel));
    }

    private async Task FillAsync()
    {
        await _cache.SetAsync("kept", "old", cancellationToken: Cancel);
        PileTable<int, byte[]> full = _pile.GetOrCreateTable<int, byte[]>("full", new PileTableOptions { Kind = PileTableKind.Durable });
        for (int bytes = 4_000, key = 0; bytes > 0; bytes /= 2)
        {
            while (full.Set(key, new byte[bytes]).IsStored)
            {
                key++;
            }
        }
    }
}
