// Addresses that answer for the server's health and nothing else, from before the cache is opened until after it is closed: NOT_SERVING while
// it recovers and while it stops. The server's own addresses are there only while it serves, so that nobody's call waits for a recovery.
using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Pile.Server.Calls;

namespace Pile.Server.Running;

/// <summary>The health of the server on addresses of their own.</summary>
internal sealed class HealthListener(IServiceProvider services, ListenOptions listen, ListenAddress[] addresses) : IHostedLifecycleService, IAsyncDisposable
{
    private WebApplication? _application;

    /// <summary>Where it listens, once it does: with the ports that the system has chosen.</summary>
    internal string[] Addresses => [.. _application!.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses];

    /// <inheritdoc/>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { Args = [], ApplicationName = "Pile.Server" });
        builder.Configuration.Sources.Clear();
        IOptions<PileServerOptions> options = services.GetRequiredService<IOptions<PileServerOptions>>();
        _ = builder.Services.AddSingleton(services.GetRequiredService<ILoggerFactory>()).AddSingleton<IHostLifetime, NoSignals>();
        _ = builder.Services.AddSingleton(services.GetRequiredService<ServerState>()).AddSingleton(services.GetRequiredService<ServerMetrics>());
        _ = builder.Services.AddSingleton<FailureInterceptor>().AddSingleton<HealthService>();
        PileServerServices.AddMethods<HealthService>(builder.Services, Grpc.Health.V1.Health.BindService);
        _ = builder.Services.AddGrpc().AddServiceOptions<HealthService>(new CallOptions<HealthService>(options).Configure);
        Listening.On(builder.WebHost, listen, addresses);
        _application = builder.Build();
        _ = _application.MapGrpcService<HealthService>();
        await _application.StartAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppedAsync(CancellationToken cancellationToken) => _application?.StopAsync(cancellationToken) ?? Task.CompletedTask;

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _application?.DisposeAsync() ?? ValueTask.CompletedTask;

    // The program's signals are its host's.
    private sealed class NoSignals : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
