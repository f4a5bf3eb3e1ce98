using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Caches and their adapters as services of a host.</summary>
public sealed class CacheServicesTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task ACacheIsAServiceOnceTheHostHasStarted()
    {
        using IHost host = CacheHost.With(CacheHost.Small);
        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => CacheHost.CacheOf(host));
        Assert.StartsWith("The cache is not open yet: the host opens it when it starts", refused.Message, StringComparison.Ordinal);
        Assert.Contains("take HostedPileCache in its constructor", refused.Message, StringComparison.Ordinal);
        Assert.False(host.Services.GetRequiredService<HostedPileCache>().TryGet(out _));

        await host.StartAsync(Cancel);
        PileCache cache = CacheHost.CacheOf(host);
        Assert.True(cache.GetOrCreateTable<int, string>("t").Set(1, "one").IsStored);
        Assert.Same(cache, host.Services.GetRequiredService<HostedPileCache>().Cache);
        await host.StopAsync(Cancel);
        Assert.Throws<ObjectDisposedException>(() => cache.GetOrCreateTable<int, string>("t").Set(1, "two"));
    }

    [Fact]
    public async Task CachesWithKeysStandBesideOneWithout()
    {
        HostApplicationBuilder builder = TestHost.Builder(null, ("PileCache:InMemory", "true"), ("PileCache:MemoryLimitBytes", "2097152"), ("PileCaches:a:InMemory", "true"), ("PileCaches:a:MemoryLimitBytes", "4194304"));
        _ = builder.AddPileCache().AddKeyedPileCache("a", static options => options.Cache = options.Cache with { MemoryLimitBytes = options.Cache.MemoryLimitBytes * 2 });
        _ = builder.Services.AddKeyedPileCache("b", CacheHost.Small).AddKeyedPileCache("c", builder.Configuration.GetSection("PileCaches:a"));
        using IHost host = builder.Build();
        await host.StartAsync(Cancel);

        Assert.Equal(2 << 20, CacheHost.CacheOf(host).Pile.MemoryLimitBytes);
        Assert.Equal(8 << 20, host.Services.GetRequiredKeyedService<PileCache>("a").Pile.MemoryLimitBytes);
        Assert.Equal(4 << 20, host.Services.GetRequiredKeyedService<PileCache>("b").Pile.MemoryLimitBytes);
        Assert.Equal(4 << 20, host.Services.GetRequiredKeyedService<HostedPileCache>("c").Cache.Pile.MemoryLimitBytes);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public void ASecondCacheOfTheSameNameIsRefused()
    {
        ServiceCollection services = new();
        _ = services.AddPileCache(CacheHost.Small).AddKeyedPileCache("a", CacheHost.Small);

        Assert.Contains("AddKeyedPileCache", Assert.Throws<InvalidOperationException>(() => services.AddPileCache(CacheHost.Small)).Message, StringComparison.Ordinal);
        Assert.Contains("The cache 'a' was added already", Assert.Throws<InvalidOperationException>(() => services.AddKeyedPileCache("a", CacheHost.Small)).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => services.AddKeyedPileCache(" ", CacheHost.Small));
    }

    [Fact]
    public async Task ADistributedCacheCanBeTakenBeforeTheStartAndUsedAfterIt()
    {
        using IHost host = CacheHost.With(CacheHost.Small, null, static services => services.AddPileDistributedCache());
        IDistributedCache cache = host.Services.GetRequiredService<IDistributedCache>();
        Assert.Contains("is not open yet", Assert.Throws<InvalidOperationException>(() => cache.Get("a")).Message, StringComparison.Ordinal);

        await host.StartAsync(Cancel);
        cache.SetString("a", "b");
        Assert.Equal("b", cache.GetString("a"));
        Assert.True(CacheHost.CacheOf(host).GetOrCreateTable<string, byte[]>("distributed").ContainsKey("a"));
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task AKeyedAdapterStandsOnTheCacheOfItsKeyOrInATableOfItsOwn()
    {
        using IHost host = CacheHost.With(CacheHost.Small, null, static services => services
            .AddKeyedPileCache("own", CacheHost.Small)
            .AddKeyedPileDistributedCache("own")
            .AddKeyedPileDistributedCache("guest")
            .AddPileDistributedCache(static options => options.TableName = "named"));
        await host.StartAsync(Cancel);
        foreach (string? key in (string?[])["own", "guest"])
        {
            host.Services.GetRequiredKeyedService<IDistributedCache>(key).SetString("a", key!);
        }

        host.Services.GetRequiredService<IDistributedCache>().SetString("a", "none");
        Assert.Equal(["distributed"], host.Services.GetRequiredKeyedService<PileCache>("own").TableNames);
        Assert.Equal(["distributed:guest", "named"], CacheHost.CacheOf(host).TableNames);
        Assert.Equal("guest", host.Services.GetRequiredKeyedService<IDistributedCache>("guest").GetString("a"));
        await host.StopAsync(Cancel);
    }

    [Fact]
    public void AnAdapterWithoutACacheSaysWhatIsMissing()
    {
        using ServiceProvider provider = new ServiceCollection().AddPileDistributedCache().AddKeyedPileDistributedCache("a").BuildServiceProvider();

        Assert.Contains("add one with AddPileCache", Assert.Throws<InvalidOperationException>(() => provider.GetRequiredService<IDistributedCache>()).Message, StringComparison.Ordinal);
        Assert.Contains("AddKeyedPileCache and the key 'a'", Assert.Throws<InvalidOperationException>(() => provider.GetRequiredKeyedService<IDistributedCache>("a")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheClockOfTheServicesIsTheCaches()
    {
        var clock = new ManualClock();
        using IHost host = CacheHost.With(CacheHost.Small, null, services => services.AddSingleton<TimeProvider>(clock).AddPileDistributedCache());
        await host.StartAsync(Cancel);
        IDistributedCache cache = host.Services.GetRequiredService<IDistributedCache>();
        cache.Set("a", [1], new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(1) });
        clock.Move(TimeSpan.FromMinutes(1));

        Assert.Null(cache.Get("a"));
        await host.StopAsync(Cancel);
    }
}
