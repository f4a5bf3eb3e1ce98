using System;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Pile.Cache;
using Pile.Hosting.Tests;

namespace Pile.Caching.Tests;

/// <summary>Real hosts with a cache.</summary>
internal static class CacheHost
{
    internal static IHost With(Action<PileCacheHostOptions> configure, RecordedLog? log = null, Action<IServiceCollection>? more = null)
    {
        HostApplicationBuilder builder = TestHost.Builder(log);
        _ = builder.Services.AddPileCache(configure);
        more?.Invoke(builder.Services);
        return builder.Build();
    }

    internal static void Small(PileCacheHostOptions options)
    {
        options.InMemory = true;
        options.Cache = options.Cache with { MemoryLimitBytes = 4 << 20 };
    }

    internal static PileCache CacheOf(IHost host) => host.Services.GetRequiredService<PileCache>();
}
