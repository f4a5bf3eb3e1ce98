using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Caching;
using Pile.Server;

namespace Pile.Client.Tests;

/// <summary>The real server as a part of this process, on a port of the loopback address, for tests that move its clock.</summary>
internal sealed class ServerHere : IAsyncDisposable
{
    private readonly WebApplication _application;

    private ServerHere(WebApplication application) => _application = application;

    internal string Address => _application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();

    /// <summary>The cache that it serves.</summary>
    internal Cache.PileCache Cache => _application.Services.GetRequiredService<Cache.PileCache>();

    internal static async Task<ServerHere> StartAsync(TimeProvider clock)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        _ = builder.Logging.ClearProviders();
        _ = builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { ["PileCache:InMemory"] = "true", ["PileCache:MemoryLimitBytes"] = "16MiB" });
        _ = builder.Services.AddSingleton(clock);
        _ = builder.WebHost.ConfigureKestrel(static options => options.Listen(System.Net.IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http2));
        _ = builder.AddPileCache();
        _ = builder.AddPileServer();
        WebApplication application = builder.Build();
        application.MapPile();
        await application.StartAsync();
        return new ServerHere(application);
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();
}
