// Registration of caches as services: each with options of its own, opened and closed by the host. The forms on a host builder, which know
// the section of the configuration by themselves, are PileCacheHostBuilders; what other libraries ask for is PileCachingServices'.
using System;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Pile.Hosting;

namespace Pile.Caching;

/// <summary>Adds caches to a service collection.</summary>
/// <remarks>A cache is opened when the host starts, before servers and workers do, and closed after all of them have stopped. From then on
/// <see cref="PileCache"/> can be resolved, by constructor or otherwise; <see cref="HostedPileCache"/> always.</remarks>
public static class PileCacheServices
{
    /// <summary>Adds a cache.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Says where the cache lives, and the rest of its options.</param>
    /// <exception cref="InvalidOperationException">A cache without a key was added before.</exception>
    public static IServiceCollection AddPileCache(this IServiceCollection services, Action<PileCacheHostOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return HostedServices.Add(services, PileCacheHosted.Instance, key: null, section: null, configure);
    }

    /// <summary>Adds a cache with options from configuration.</summary>
    /// <param name="services">The services.</param>
    /// <param name="section">The section whose keys are the cache's settings; a key that is none is refused when the host starts.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A cache without a key was added before.</exception>
    public static IServiceCollection AddPileCache(this IServiceCollection services, IConfigurationSection section, Action<PileCacheHostOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return HostedServices.Add(services, PileCacheHosted.Instance, key: null, section, configure);
    }

    /// <summary>Adds a cache with a key, beside others.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">Its key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="configure">Says where the cache lives, and the rest of its options.</param>
    /// <exception cref="InvalidOperationException">A cache with this key was added before.</exception>
    public static IServiceCollection AddKeyedPileCache(this IServiceCollection services, string key, Action<PileCacheHostOptions> configure)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        ArgumentNullException.ThrowIfNull(configure);
        return HostedServices.Add(services, PileCacheHosted.Instance, key, section: null, configure);
    }

    /// <summary>Adds a cache with a key and options from configuration.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">Its key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="section">The section whose keys are the cache's settings; a key that is none is refused when the host starts.</param>
    /// <param name="configure">Changes options after the configuration was read, or null.</param>
    /// <exception cref="InvalidOperationException">A cache with this key was added before.</exception>
    public static IServiceCollection AddKeyedPileCache(
        this IServiceCollection services, string key, IConfigurationSection section, Action<PileCacheHostOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        ArgumentNullException.ThrowIfNull(section);
        return HostedServices.Add(services, PileCacheHosted.Instance, key, section, configure);
    }
}
