using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core.Interceptors;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Hosting.Tests;
using Pile.Server.Running;

namespace Pile.Server.Tests;

/// <summary>The real program in this process, on a port of the loopback address, with a channel to it.</summary>
internal sealed class TestServer : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly List<GrpcChannel> _channels = [];

    private TestServer(WebApplication application, RecordedLog log)
    {
        _application = application;
        Log = log;
    }

    internal RecordedLog Log { get; }

    internal IServiceProvider Services => _application.Services;

    internal string Address => _application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();

    internal GrpcChannel Channel => field ??= Open();

    internal V1.Entries.EntriesClient Entries => new(Channel.Intercept(new CallDeadlines()));

    internal V1.Tables.TablesClient Tables => new(Channel.Intercept(new CallDeadlines()));

    /// <summary>A server in memory, unless the arguments say otherwise.</summary>
    internal static Task<TestServer> StartAsync(params string[] args) => StartAsync(new RecordedLog(), static _ => { }, args);

    /// <summary>The same with a log that is there before, and more services.</summary>
    internal static async Task<TestServer> StartAsync(RecordedLog log, Action<WebApplicationBuilder> configure, params string[] args)
    {
        WebApplication application = ServerProgram.Build([.. Defaults(args), .. args], builder =>
        {
            _ = builder.Logging.ClearProviders().AddProvider(log);
            configure(builder);
        });
        try
        {
            await Soon.EndsAsync(Task.Run(() => application.StartAsync()), "the start of a server");
        }
        catch
        {
            await application.DisposeAsync();
            throw;
        }

        return new TestServer(application, log);
    }

    /// <summary>A channel of its own, ended with the server.</summary>
    internal GrpcChannel Open(GrpcChannelOptions? options = null)
    {
        options ??= new GrpcChannelOptions();
        options.MaxReceiveMessageSize = null;
        GrpcChannel channel = GrpcChannel.ForAddress(Address.Replace("[::1]", "localhost", StringComparison.Ordinal), options);
        _channels.Add(channel);
        return channel;
    }

    internal Task StopAsync(CancellationToken cancel = default) => _application.StopAsync(cancel);

    public async ValueTask DisposeAsync()
    {
        foreach (GrpcChannel channel in _channels)
        {
            channel.Dispose();
        }

        // On a thread of the pool: a part of it is not asynchronous.
        await Soon.EndsAsync(Task.Run(() => _application.DisposeAsync().AsTask()), "the end of a server");
    }

    private static IEnumerable<string> Defaults(string[] args)
    {
        if (!args.Any(static arg => arg.StartsWith("--listen", StringComparison.Ordinal)))
        {
            yield return "--listen=http://127.0.0.1:0";
        }

        if (!args.Any(static arg => arg.StartsWith("--directory", StringComparison.Ordinal)))
        {
            yield return "--in-memory";
        }

        if (!args.Any(static arg => arg.StartsWith("--memory-limit", StringComparison.Ordinal)))
        {
            yield return "--memory-limit=67108864";
        }
    }
}
