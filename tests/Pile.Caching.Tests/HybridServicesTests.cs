using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>HybridCache as a service of a host, with and without a key, warm after a restart.</summary>
public sealed class HybridServicesTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task AHybridCacheInFilesIsWarmAfterTheNextStartTagsIncluded()
    {
        using var directory = new TemporaryDirectory();
        int made = 0;
        for (int run = 0; run < 3; run++)
        {
            using IHost host = CacheHost.With(options => options.Directory = directory.Path, null, static services => services.AddPileHybridCache());
            HybridCache cache = host.Services.GetRequiredService<HybridCache>();
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await cache.RemoveAsync("a", Cancel));
            await host.StartAsync(Cancel);
            if (run == 2)
            {
                await cache.RemoveByTagAsync("x", Cancel);
            }

            Product product = await cache.GetOrCreateAsync("a", _ => new ValueTask<Product>(new Product(++made, "made")), new HybridCacheEntryOptions { Expiration = TimeSpan.FromDays(1) }, ["x"], Cancel);
            Assert.Equal(new Product(run == 2 ? 2 : 1, "made"), product);
            await host.StopAsync(Cancel);
        }
    }

    [Fact]
    public async Task KeyedOnesStandBesideEachOtherAndMayHaveACacheOfTheServicesBehindThem()
    {
        var behind = new FlakyCache();
        using IHost host = CacheHost.With(CacheHost.Small, null, services => services
            .AddKeyedSingleton<IDistributedCache>("far", behind)
            .AddPileHybridCache()
            .AddKeyedPileHybridCache("shared", static options => options.DistributedCache = static services => services.GetRequiredKeyedService<IDistributedCache>("far")));
        await host.StartAsync(Cancel);
        HybridCache alone = host.Services.GetRequiredService<HybridCache>();
        HybridCache shared = host.Services.GetRequiredKeyedService<HybridCache>("shared");
        await alone.SetAsync("a", 1, cancellationToken: Cancel);
        await shared.SetAsync("a", 2, cancellationToken: Cancel);

        Assert.Equal(1, await alone.GetOrCreateAsync("a", static _ => new ValueTask<int>(9), cancellationToken: Cancel));
        Assert.Equal(2, await shared.GetOrCreateAsync("a", static _ => new ValueTask<int>(9), cancellationToken: Cancel));
        Assert.Equal(["hybrid", "hybrid:shared"], CacheHost.CacheOf(host).TableNames);
        Assert.Equal(["set pile:e:a 00:05:00"], behind.Calls);
        await host.StopAsync(Cancel);
    }

    private sealed record Product(int Number, string Name);
}
