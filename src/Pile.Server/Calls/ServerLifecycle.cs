// The server's part in the life of its host: the tables and the place of copies are looked up once the cache is open and before anything listens, and calls
// are told of a stop before the cache is closed. The cache itself is Pile.Hosting's to open and close.
using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Pile.Caching;
using Pile.Server.Leases;
using Pile.Server.Tables;
using Pile.Server.Watching;

namespace Pile.Server.Calls;

/// <summary>Begins and stops the server.</summary>
internal sealed class ServerLifecycle(
    ServerState state, LeaseRoom leases, WatchRoom watches, IOptions<PileServerOptions> served, IHostApplicationLifetime lifetime, ILogger<ServerLifecycle> logger, HostedPileCache? cache = null) : IHostedLifecycleService
{
    private readonly HostedPileCache _cache = cache ?? throw new InvalidOperationException($"There is no cache to serve: add one with {nameof(PileCacheHostBuilders.AddPileCache)}, beside {nameof(PileServerServices.AddPileServer)}.");

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (served.Value.CopyDirectory is { } copies && _cache.Cache.Pile.Promise() != PilePromise.Memory)
        {
            CopyPlace.Require(copies);
        }

        state.Begin(new TableCatalogue(_cache.Cache, leases, watches, served.Value.TablesMax, logger));
        _ = lifetime.ApplicationStopping.Register(() =>
        {
            ServerLog.Stopping(logger);
            state.Stop();
        });
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>By now the host listens.</summary>
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        ServerLog.Serving(logger, state.Tables.All.Count());
        return Task.CompletedTask;
    }

    /// <summary>Waits for streams, which have been told, and lets clients read how their calls ended, before connections end: one whose connection ends
    /// while its own side of a call is open loses what it has not read of the call's end.</summary>
    public async Task StoppingAsync(CancellationToken cancellationToken)
    {
        state.Stop();
        try
        {
            await state.StreamsEnded.WaitAsync(ServerLimits.StreamsEndWait, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception late) when (late is TimeoutException or OperationCanceledException)
        {
            ServerLog.StreamsOutlast(logger);
        }

        var never = new TaskCompletionSource();
        await never.Task.WaitAsync(ServerLimits.EndsRead, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
