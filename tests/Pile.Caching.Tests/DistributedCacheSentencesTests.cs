using System;
using Microsoft.Extensions.Caching.Distributed;
using Pile.Cache;
using Pile.Cache.Tests.Model;

namespace Pile.Caching.Tests;

/// <summary>The sentences of IDistributedCache, on the adapter to a cache of this process.</summary>
public sealed class DistributedCacheSentencesTests : DistributedCacheSentences, IDisposable
{
    private readonly PileCache _cache;

    public DistributedCacheSentencesTests()
    {
        _cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, TimeProvider = Clock });
        Door = new PileDistributedCache(_cache);
    }

    private protected override IBufferDistributedCache Door { get; }

    private protected override ManualClock Clock { get; } = new();

    public void Dispose() => _cache.Dispose();

    private protected override bool Contains(string key) => _cache.GetOrCreateTable<string, byte[]>("distributed").ContainsKey(key);
}
