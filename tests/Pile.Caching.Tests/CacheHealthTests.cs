using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Pile.Cache;
using Pile.Hosting;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>The cache's health check, asked through the host's own service.</summary>
public sealed class CacheHealthTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task ACacheIsUnhealthyBeforeItIsOpenHealthyWhileItIsAndUnhealthyAfterwards()
    {
        using IHost host = CacheHost.With(CacheHost.Small, null, static services => services.AddHealthChecks().AddPileCache());
        Assert.Equal("The cache is not open yet.", (await RequireAsync(host, "cache", HealthStatus.Unhealthy)).Description);
        await host.StartAsync(Cancel);
        Assert.Equal("The cache is in order.", (await RequireAsync(host, "cache", HealthStatus.Healthy)).Description);
        await host.StopAsync(Cancel);
        Assert.Equal("The cache was disposed.", (await RequireAsync(host, "cache", HealthStatus.Unhealthy)).Description);
    }

    [Fact]
    public async Task AFullSpeculativeTableIsHealthyAndAFullDurableOneDegraded()
    {
        using IHost host = CacheHost.With(CacheHost.Small, null, static services => services
            .AddKeyedPileCache("a", CacheHost.Small)
            .AddHealthChecks()
            .AddPileCache(configure: static health => health.RoomWaitsPerSecond = 1e12)
            .AddPileCache("a", static health => (health.NearLimit, health.RoomWaitsPerSecond) = (0.7, 1e12)));
        await host.StartAsync(Cancel);
        PileTable<int, byte[]> speculative = CacheHost.CacheOf(host).GetOrCreateTable<int, byte[]>("t");
        PileTable<int, byte[]> durable = host.Services.GetRequiredKeyedService<PileCache>("a")
            .GetOrCreateTable<int, byte[]>("t", new PileTableOptions { Kind = PileTableKind.Durable });
        byte[] value = new byte[1000];
        int key = 0;
        while (durable.Set(key, value).IsStored)
        {
            Assert.True(speculative.Set(key++, value).IsStored);
        }

        for (int more = 0; more < 4000; more++)
        {
            Assert.True(speculative.Set(key++, value).IsStored);
        }

        Assert.NotEqual(0, speculative.GetStatistics().Evictions);
        _ = await RequireAsync(host, "cache", HealthStatus.Healthy);
        Assert.Contains("The cache 'a': It is nearly full", (await RequireAsync(host, "cache:a", HealthStatus.Degraded)).Description, StringComparison.Ordinal);
        await host.StopAsync(Cancel);
    }

    /// <summary>Of a speculative table, what nothing evicts: entries that are never to be removed, and what is within the table's minimum.</summary>
    [Theory]
    [InlineData(PileCachePriority.NeverRemove, 0)]
    [InlineData(PileCachePriority.Normal, 1 << 30)]
    public async Task ACacheFullOfWhatMayNotBeEvictedIsDegraded(PileCachePriority priority, long minimumBytes)
    {
        using IHost host = CacheHost.With(CacheHost.Small, null, static services => services
            .AddHealthChecks()
            .AddPileCache(configure: static health => (health.NearLimit, health.RoomWaitsPerSecond) = (0.7, 1e12)));
        await host.StartAsync(Cancel);
        PileTable<int, byte[]> table = CacheHost.CacheOf(host).GetOrCreateTable<int, byte[]>("t", new PileTableOptions { DefaultPriority = priority, MinimumBytes = minimumBytes });
        byte[] value = new byte[1000];
        int key = 0;
        while (table.Set(key, value).IsStored)
        {
            key++;
        }

        Assert.Equal(0, CacheHost.CacheOf(host).GetStatistics().EvictableBytes);
        Assert.Contains("It is nearly full", (await RequireAsync(host, "cache", HealthStatus.Degraded)).Description, StringComparison.Ordinal);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public async Task ADamagedEntryIsAMissAndUnhealthy()
    {
        using var directory = new TemporaryDirectory();
        byte[] content = [.. Enumerable.Range(1, 100).Select(static value => (byte)value)];
        using (PileCache cache = PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 16 << 20 }))
        {
            _ = cache.GetOrCreateTable<string, byte[]>("distributed").Set("a", content);
        }

        string extent = Assert.Single(Directory.GetFiles(Path.Combine(directory.Path, "extents")));
        using (FileStream file = File.Open(extent, FileMode.Open))
        {
            byte[] head = new byte[4 << 20];
            file.ReadAtLeast(head, head.Length, throwOnEndOfStream: false);
            file.Position = head.AsSpan().IndexOf(content) + 50;
            Assert.True(file.Position >= 50);
            file.WriteByte(0);
        }

        using IHost host = CacheHost.With(
            options =>
            {
                options.Directory = directory.Path;
                options.Cache = options.Cache with { MemoryLimitBytes = 16 << 20 };
            },
            null,
            static services => services.AddPileDistributedCache().AddHealthChecks().AddPileCache());
        await host.StartAsync(Cancel);
        Assert.Null(await host.Services.GetRequiredService<IDistributedCache>().GetAsync("a", Cancel));
        Assert.Equal("The cache: 1 entries were found to be damaged; they are misses.", (await RequireAsync(host, "cache", HealthStatus.Unhealthy)).Description);
        await host.StopAsync(Cancel);
    }

    [Fact]
    public void OptionsThatCanNotBeAreRefused()
    {
        IHealthChecksBuilder builder = new ServiceCollection().AddHealthChecks();
        Assert.Contains("PileHealthOptions.NearLimit must be above 0 and up to 1.", Refusal(static options => options.NearLimit = 0), StringComparison.Ordinal);
        Assert.Contains("PileHealthOptions.RoomWaitsPerSecond must be more than 0.", Refusal(static options => options.RoomWaitsPerSecond = 0), StringComparison.Ordinal);
        Assert.Contains("PileHealthOptions.FlushLag must be zero or more.", Refusal(static options => options.FlushLag = -TimeSpan.FromTicks(1)), StringComparison.Ordinal);

        string Refusal(Action<PileHealthOptions> configure) => Assert.Throws<ArgumentOutOfRangeException>(() => builder.AddPileCache(configure: configure)).Message;
    }

    private static async Task<HealthReportEntry> RequireAsync(IHost host, string check, HealthStatus status)
    {
        HealthReport report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync(Cancel);
        HealthReportEntry entry = report.Entries[check];
        Assert.True(entry.Status == status, $"{entry.Status}, not {status}: {entry.Description}");
        return entry;
    }
}
