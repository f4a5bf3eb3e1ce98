// Registration on a host builder, with the section of the configuration by convention: "PileCache" for the cache without a key,
// "PileCaches:<key>" for the others. It is PileCacheServices with that section, and nothing more.
using System;
using Microsoft.Extensions.Hosting;

namespace Pile.Caching;

/// <summary>Adds caches to a host that is being built.</summary>
public static class PileCacheHostBuilders
{
    /// <summary>Adds a cache with options from the section <c>PileCache</c> of the configuration.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A cache without a key was added before.</exception>
    public static IHostApplicationBuilder AddPileCache(this IHostApplicationBuilder builder, Action<PileCacheHostOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        _ = builder.Services.AddPileCache(builder.Configuration.GetSection("PileCache"), configure);
        return builder;
    }

    /// <summary>Adds a cache with a key, with options from the section <c>PileCaches:</c><paramref name="key"/> of the configuration.</summary>
    /// <param name="builder">The builder.</param>
    /// <param name="key">Its key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A cache with this key was added before.</exception>
    public static IHostApplicationBuilder AddKeyedPileCache(this IHostApplicationBuilder builder, string key, Action<PileCacheHostOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        _ = builder.Services.AddKeyedPileCache(key, builder.Configuration.GetSection("PileCaches").GetSection(key), configure);
        return builder;
    }
}
