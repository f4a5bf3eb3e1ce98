using System;
using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>The stock HybridCache: what it does, ours does; and it works over our IDistributedCache and with our serializers.</summary>
public sealed class StockHybridTests : IDisposable
{
    private readonly PileCache _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
    private readonly List<ServiceProvider> _providers = [];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _providers.ForEach(static provider => provider.Dispose());
        _pile.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task OneScriptHasTheSameAnswers(bool isOurs)
    {
        HybridCache cache = isOurs ? new PileHybridCache(_pile) : Stock();
        List<string> said = [];
        int made = 0;
        await AskAsync("a", HybridCacheEntryFlags.None);
        await AskAsync("a", HybridCacheEntryFlags.None);
        await cache.SetAsync("a", "set", tags: ["x"], cancellationToken: Cancel);
        await AskAsync("a", HybridCacheEntryFlags.None);
        await AskAsync("a", HybridCacheEntryFlags.DisableUnderlyingData);
        await AskAsync("b", HybridCacheEntryFlags.DisableUnderlyingData);
        await AskAsync("b", HybridCacheEntryFlags.DisableLocalCacheWrite);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await AskAsync("b", HybridCacheEntryFlags.DisableLocalCacheRead);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await AskAsync("b", HybridCacheEntryFlags.DisableLocalCache);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await cache.RemoveByTagAsync("x", Cancel);
        await AskAsync("a", HybridCacheEntryFlags.None);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await cache.RemoveAsync("a", Cancel);
        await AskAsync("a", HybridCacheEntryFlags.None);
        await cache.RemoveByTagAsync("*", Cancel);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await cache.SetAsync<string?>("n", null, cancellationToken: Cancel);
        await AskAsync("n", HybridCacheEntryFlags.None);

        Assert.Equal(
            ["a1", "a1", "set", "set", "null", "b2", "b3", "b4", "b4", "b5", "b4", "a6", "b4", "a7", "b8", "null"],
            said);

        async Task AskAsync(string key, HybridCacheEntryFlags flags) => said.Add(
            await cache.GetOrCreateAsync<string?>(
                key,
                _ => new ValueTask<string?>($"{key}{++made}"),
                new HybridCacheEntryOptions { Flags = flags },
                cancellationToken: Cancel) ?? "null");
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task ASetOfWhatHasEndedStoresNothingAndLeavesWhatIsThere(bool isOurs, bool hasBehind)
    {
        var behind = new FlakyCache();
        HybridCache cache = isOurs ? new PileHybridCache(_pile, new PileHybridCacheOptions { DistributedCache = hasBehind ? _ => behind : null }) : Stock(hasBehind ? behind : null);
        await cache.SetAsync("there", 1, cancellationToken: Cancel);
        int kept = behind.Entries.Count;
        foreach (HybridCacheEntryOptions ended in (HybridCacheEntryOptions[])[
            new() { Expiration = TimeSpan.Zero },
            new() { Expiration = TimeSpan.MinValue },
            new() { Expiration = TimeSpan.Zero, LocalCacheExpiration = TimeSpan.FromMinutes(1) },
            new() { LocalCacheExpiration = TimeSpan.FromTicks(-1) },
            new() { Expiration = TimeSpan.Zero, Flags = HybridCacheEntryFlags.DisableLocalCacheWrite },
        ])
        {
            await cache.SetAsync("there", 2, ended, cancellationToken: Cancel);
            await cache.SetAsync("new", 2, ended, cancellationToken: Cancel);
            Assert.Equal(1, await LookAsync(cache, "there"));
            Assert.Equal(1, await cache.GetOrCreateAsync("there", static _ => new ValueTask<int>(3), ended, cancellationToken: Cancel));
            Assert.Equal(0, await LookAsync(cache, "new"));
        }

        Assert.Equal(kept, behind.Entries.Count);

        // Only what is written counts.
        await cache.SetAsync("far", 5, new HybridCacheEntryOptions { LocalCacheExpiration = TimeSpan.Zero, Flags = HybridCacheEntryFlags.DisableLocalCacheWrite }, cancellationToken: Cancel);
        Assert.Equal(hasBehind ? 5 : 0, await LookAsync(cache, "far"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ANullKeyIsNoKeyToStoreUnder(bool isOurs)
    {
        HybridCache cache = isOurs ? new PileHybridCache(_pile) : Stock();
        await cache.SetAsync(null!, 1, cancellationToken: Cancel);
        for (int call = 2; call < 4; call++)
        {
            Assert.Equal(call, await cache.GetOrCreateAsync(null!, call, static (made, _) => new ValueTask<int>(made), cancellationToken: Cancel));
        }

        Assert.Equal(0, await LookAsync(cache, null!));
        using var over = new CancellationTokenSource();
        await over.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await cache.GetOrCreateAsync(null!, static _ => new ValueTask<int>(1), cancellationToken: over.Token));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await cache.RemoveAsync((string)null!, Cancel));
    }

    [Fact]
    public async Task ItWorksOverOurDistributedCache()
    {
        HybridCache here = Stock(new PileDistributedCache(_pile));
        HybridCache there = Stock(new PileDistributedCache(_pile));
        byte[] large = new byte[900_000];
        new Random(1).NextBytes(large);
        await here.SetAsync("a", "from here", cancellationToken: Cancel);
        await here.SetAsync("large", large, cancellationToken: Cancel);

        Assert.Equal("from here", await there.GetOrCreateAsync("a", static _ => new ValueTask<string>("made"), cancellationToken: Cancel));
        Assert.Equal(large, await there.GetOrCreateAsync("large", static _ => new ValueTask<byte[]>([]), cancellationToken: Cancel));
        await here.RemoveAsync("a", Cancel);
        Assert.Equal("made", await Stock(new PileDistributedCache(_pile)).GetOrCreateAsync("a", static _ => new ValueTask<string>("made"), cancellationToken: Cancel));
    }

    [Fact]
    public async Task ItUsesOurSerializers()
    {
        var behind = new FlakyCache();
        await Stock(behind).SetAsync("a", new Order { Id = 7, Name = "seven" }, cancellationToken: Cancel);
        byte[] expected = [0x92, 7, 0xA5, .. "seven"u8];

        Assert.Contains(behind.Entries.Values, value => value.AsSpan().IndexOf(expected) >= 0);
        Assert.Equal(new Order { Id = 7, Name = "seven" }, await Stock(behind).GetOrCreateAsync("a", static _ => new ValueTask<Order>(new Order()), cancellationToken: Cancel));
    }

    private static async Task<int> LookAsync(HybridCache cache, string key) => await cache.GetOrCreateAsync(
        key, static _ => new ValueTask<int>(9), new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableLocalCacheWrite | HybridCacheEntryFlags.DisableUnderlyingData }, cancellationToken: Cancel);

    private HybridCache Stock(IDistributedCache? behind = null)
    {
        ServiceCollection services = new();
        _ = services.AddHybridCache();
        _ = services.AddPileHybridCacheSerializers();
        if (behind is not null)
        {
            _ = services.AddSingleton(behind);
        }

        ServiceProvider provider = services.BuildServiceProvider();
        _providers.Add(provider);
        return provider.GetRequiredService<HybridCache>();
    }

    [DataContract]
    public sealed record Order
    {
        [DataMember(Order = 0)]
        public int Id { get; set; }

        [DataMember(Order = 1)]
        public string Name { get; set; } = "";
    }
}
