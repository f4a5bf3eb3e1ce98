using System;
using System.Collections.Generic;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Pile.Hosting.Tests;

/// <summary>Real hosts, with a log that is kept and configuration from memory.</summary>
internal static class TestHost
{
    internal static HostApplicationBuilder Builder(RecordedLog? log = null, params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { DisableDefaults = true, ContentRootPath = AppContext.BaseDirectory });
        var pairs = new Dictionary<string, string?>();
        foreach ((string key, string? value) in settings)
        {
            pairs.Add(key, value);
        }

        _ = builder.Configuration.AddInMemoryCollection(pairs);
        _ = builder.Logging.SetMinimumLevel(LogLevel.Trace).AddProvider(log ?? new RecordedLog());
        return builder;
    }

    /// <summary>A host with one pile.</summary>
    internal static IHost With(Action<PileHostOptions> configure, RecordedLog? log = null)
    {
        HostApplicationBuilder builder = Builder(log);
        _ = builder.Services.AddPile(configure);
        return builder.Build();
    }

    internal static ObjectPile PileOf(IHost host) => host.Services.GetRequiredService<ObjectPile>();
}
