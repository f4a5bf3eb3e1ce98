// Registration of a cache's health check, which is the pile's: what can be evicted counts as no load, and damaged entries as damage.
// It looks at nothing itself, and nothing is looked at before a report is asked for.
using System;
using System.Collections.Generic;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Pile.Hosting;

namespace Pile.Caching;

/// <summary>Adds health checks of caches.</summary>
public static class PileCacheHealth
{
    /// <summary>Adds a health check of a cache that was added with AddPileCache or AddKeyedPileCache.</summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="key">The cache's key, or null for the cache without one.</param>
    /// <param name="configure">Says what is degraded, or null.</param>
    /// <param name="name">The check's name; null for <c>cache</c>, or <c>cache:key</c>.</param>
    /// <param name="tags">Tags to choose checks by, or null.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <remarks>As AddPile of Pile.Hosting. Entries that may be evicted do not make a cache nearly full, for they leave when room is needed. Unhealthy
    /// too: entries that were found to be damaged.</remarks>
    public static IHealthChecksBuilder AddPileCache(
        this IHealthChecksBuilder builder, string? key = null, Action<PileHealthOptions>? configure = null, string? name = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return PileHealth.Add(builder, PileCacheHosted.Instance, key, configure, name ?? (key is null ? "cache" : $"cache:{key}"), tags, Find);
    }

    private static HealthSubject? Find(IServiceProvider provider, string? key)
    {
        if (!PileCacheHosted.PlaceOf(provider, key).TryGet(out PileCache? cache))
        {
            return null;
        }

        PileCacheStatistics statistics = cache.GetStatistics();
        return new HealthSubject(cache.Pile, statistics.EvictableBytes, statistics.DamagedEntries);
    }
}
