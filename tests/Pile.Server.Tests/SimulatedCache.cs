using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pile.Cache;
using Pile.Caching;
using Pile.Tests.Memory.Simulation;

namespace Pile.Server.Tests;

/// <summary>A cache on simulated files, which a real server serves in place of its own: its calls fail, or its device is full, when the test says so.</summary>
internal sealed class SimulatedCache : IDisposable
{
    internal SimulatedCache(long reserveBytes = 0) => Cache = PileCache.Open(
        "/cache",
        new PileCacheOptions { MemoryLimitBytes = 64 << 20, BackgroundCleaning = false },
        PileOptions.Tiny with { Files = Files, MemoryLimitBytes = null, DiskReserveBytes = reserveBytes, FlushInterval = TimeSpan.FromHours(1) });

    internal SimulatedFiles Files { get; } = new() { CapacityBytes = 1L << 30 };

    internal PileCache Cache { get; }

    /// <summary>Puts it in the place of the host's cache, which is open by then and not asked for yet.</summary>
    internal void ServeBy(WebApplicationBuilder builder) => builder.Services.AddHostedService(provider => new Exchange(provider.GetRequiredService<HostedPileCache>(), Cache));

    public void Dispose()
    {
        try
        {
            Cache.Dispose();
        }
        catch (IOException)
        {
            // Of files that a test let fail.
        }

        Files.Dispose();
    }

    private sealed class Exchange(HostedPileCache place, PileCache cache) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            place.Set(cache);
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
