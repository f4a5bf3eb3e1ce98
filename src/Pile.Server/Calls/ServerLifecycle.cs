// The server's part in the life of its host: the tables are looked up once the cache is open and before anything listens, and calls
// are told of a stop before the cache is closed. The cache itself is Pile.Hosting's to open and close.
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Caching;
using Pile.Server.Tables;

namespace Pile.Server.Calls;

/// <summary>Begins and stops the server.</summary>
internal sealed class ServerLifecycle(ServerState state, HostedPileCache cache, IHostApplicationLifetime lifetime, ILogger<ServerLifecycle> logger) : IHostedService
{
    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        var tables = new TableCatalogue(cache.Cache);
        state.Begin(tables);
        _ = lifetime.ApplicationStopping.Register(() =>
        {
            ServerLog.Stopping(logger);
            state.Stop();
        });
        ServerLog.Serving(logger, tables.All.Count());
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
