// Uses the cache, so that there is something to export: reads that hit and miss, factories that answer and one that fails.
// With --ticks N it ends the program after N rounds; what was measured by then is exported at the end.
using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using OpenTelemetry.Metrics;
using Pile.Cache;
using Pile.Caching;

namespace OtlpExport;

/// <summary>The program's work.</summary>
/// <param name="cache">Where the cache is.</param>
/// <param name="configuration">Has the number of rounds.</param>
/// <param name="host">Is ended after them.</param>
/// <param name="meters">Exports what is polled, for the last time while the cache is open.</param>
internal sealed class Worker(HostedPileCache cache, IConfiguration configuration, IHostApplicationLifetime host, MeterProvider meters) : BackgroundService
{
    /// <inheritdoc/>
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        PileTable<int, string> products = cache.Cache.GetOrCreateTable<int, string>("products");
        using PeriodicTimer timer = new(TimeSpan.FromMilliseconds(100));
        int last = configuration.GetValue("ticks", int.MaxValue);
        for (int tick = 0; tick < last; tick++)
        {
            _ = await timer.WaitForNextTickAsync(stoppingToken);
            _ = await products.GetOrAddAsync(tick / 2, static (id, cancel) => ValueTask.FromResult($"product {id}"), cancellationToken: stoppingToken);
            try
            {
                _ = products.GetOrAdd(-1, static _ => throw new InvalidOperationException("the backend is down"));
            }
            catch (InvalidOperationException)
            {
                // It is in the activity's status, and in the histogram's error.type.
            }
        }

        host.StopApplication();
    }

    /// <inheritdoc/>
    public override async Task StopAsync(CancellationToken cancellationToken)
    {
        // The provider's own last export, when it is disposed, comes after the cache was closed.
        await base.StopAsync(cancellationToken);
        _ = meters.ForceFlush();
    }
}
