// Registration of the adapters: what other libraries ask for by .NET's own interfaces, on a cache that PileCacheServices adds.
// Each has a table of its own. They can be resolved at any time, and used once the host has started.
using System;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Pile.Cache;
using Pile.Caching.Hybrid;

namespace Pile.Caching;

/// <summary>Adds .NET's cache interfaces on caches that were added with AddPileCache or AddKeyedPileCache.</summary>
/// <remarks>With a key they stand on the cache with that key; where there is none, on the cache without a key, in a table with the key in
/// its name. What is added last is what is resolved.</remarks>
public static class PileCachingServices
{
    /// <summary>Adds <see cref="IDistributedCache"/>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Changes options, or null.</param>
    public static IServiceCollection AddPileDistributedCache(this IServiceCollection services, Action<PileDistributedCacheOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddSingleton<IDistributedCache>(provider => Distributed(provider, key: null, configure));
    }

    /// <summary>Adds <see cref="IDistributedCache"/> with a key.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">The key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="configure">Changes options, or null.</param>
    public static IServiceCollection AddKeyedPileDistributedCache(this IServiceCollection services, string key, Action<PileDistributedCacheOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        return services.AddKeyedSingleton<IDistributedCache>(key, (provider, _) => Distributed(provider, key, configure));
    }

    /// <summary>Adds <see cref="HybridCache"/>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Changes options, or null.</param>
    public static IServiceCollection AddPileHybridCache(this IServiceCollection services, Action<PileHybridCacheOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddSingleton<HybridCache>(provider => Hybrid(provider, key: null, configure));
    }

    /// <summary>Adds <see cref="HybridCache"/> with a key.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">The key, by which services ask for it (<c>[FromKeyedServices]</c>). Serializers with this key come first.</param>
    /// <param name="configure">Changes options, or null.</param>
    public static IServiceCollection AddKeyedPileHybridCache(this IServiceCollection services, string key, Action<PileHybridCacheOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        return services.AddKeyedSingleton<HybridCache>(key, (provider, _) => Hybrid(provider, key, configure));
    }

    /// <summary>Adds <see cref="IMemoryCache"/>: entries are snapshots (docs/FROM-MEMORYCACHE.md).</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Changes options, or null.</param>
    public static IServiceCollection AddPileMemoryCache(this IServiceCollection services, Action<PileMemoryCacheOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddSingleton<IMemoryCache>(provider => Memory(provider, key: null, configure));
    }

    /// <summary>Adds <see cref="IMemoryCache"/> with a key.</summary>
    /// <param name="services">The services.</param>
    /// <param name="key">The key, by which services ask for it (<c>[FromKeyedServices]</c>).</param>
    /// <param name="configure">Changes options, or null.</param>
    public static IServiceCollection AddKeyedPileMemoryCache(this IServiceCollection services, string key, Action<PileMemoryCacheOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        return services.AddKeyedSingleton<IMemoryCache>(key, (provider, _) => Memory(provider, key, configure));
    }

    /// <summary>Adds <see cref="PileHybridCacheSerializerFactory"/>, for the stock HybridCache or this one.</summary>
    /// <param name="services">The services.</param>
    /// <remarks>Before or behind AddHybridCache: types that it does not take are JSON, as without it.</remarks>
    public static IServiceCollection AddPileHybridCacheSerializers(this IServiceCollection services)
    {
        services.TryAddSingleton<IHybridCacheSerializerFactory, JsonFactory>();
        return services.AddSingleton<IHybridCacheSerializerFactory, PileHybridCacheSerializerFactory>();
    }

    private static PileMemoryCache Memory(IServiceProvider provider, string? key, Action<PileMemoryCacheOptions>? configure)
    {
        var options = new PileMemoryCacheOptions();
        Func<PileCache> cache = Find(provider, key, options);
        configure?.Invoke(options);
        return new PileMemoryCache(cache, options, provider);
    }

    private static PileDistributedCache Distributed(IServiceProvider provider, string? key, Action<PileDistributedCacheOptions>? configure)
    {
        var options = new PileDistributedCacheOptions();
        Func<PileCache> cache = Find(provider, key, options);
        configure?.Invoke(options);
        return new PileDistributedCache(cache, options);
    }

    private static PileHybridCache Hybrid(IServiceProvider provider, string? key, Action<PileHybridCacheOptions>? configure)
    {
        var options = new PileHybridCacheOptions();
        Func<PileCache> cache = Find(provider, key, options);
        configure?.Invoke(options);
        return new PileHybridCache(cache, options, provider, key);
    }

    /// <summary>The cache of an adapter, and its table's name where that cache is not the adapter's alone.</summary>
    private static Func<PileCache> Find(IServiceProvider provider, string? key, PileAdapterOptions options)
    {
        HostedPileCache? place = key is null ? null : provider.GetKeyedService<HostedPileCache>(key);
        if (place is null && key is not null)
        {
            options.TableName += ":" + key;
        }

        place ??= provider.GetService<HostedPileCache>() ?? throw new InvalidOperationException(
            $"There is no cache to stand on: add one with {nameof(PileCacheServices.AddPileCache)}{(key is null ? "" : $", or with {nameof(PileCacheServices.AddKeyedPileCache)} and the key '{key}'")}.");
        return () => place.Cache;
    }
}
