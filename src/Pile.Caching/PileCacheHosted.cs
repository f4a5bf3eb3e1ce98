// The kind of thing that a host opens here: a cache on a pile of its own. Everything that is the same as for a pile is Pile.Hosting's.
// Its place is a HostedPileCache.
using System;
using System.Collections.Generic;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Cache;
using Pile.Hosting;

namespace Pile.Caching;

/// <summary>Caches in a host.</summary>
internal sealed class PileCacheHosted : HostedKind<PileCacheHostOptions>
{
    private PileCacheHosted()
    {
    }

    internal static PileCacheHosted Instance { get; } = new();

    internal override string Noun => "cache";

    internal override string AddKeyed => nameof(PileCacheServices.AddKeyedPileCache);

    internal override IReadOnlyList<PileSetting<PileCacheHostOptions>> Settings => PileCacheSettings.All;

    internal override Type Place => typeof(HostedPileCache);

    /// <summary>The place of a cache, by its key or without one.</summary>
    internal static HostedPileCache PlaceOf(IServiceProvider provider, string? key) => HostedServices.PlaceOf<HostedPileCache>(provider, key);

    internal override void Validate(PileCacheHostOptions options)
    {
        ArgumentNullException.ThrowIfNull(options.Cache, nameof(options.Cache));
        ArgumentNullException.ThrowIfNull(options.Cache.Codecs, nameof(PileCacheOptions.Codecs));
        ArgumentNullException.ThrowIfNull(options.Cache.TimeProvider, nameof(PileCacheOptions.TimeProvider));

        PileOptions pile = PileOptionsOf(options);
        if (options.Directory is not null)
        {
            pile.ValidateForFiles();
        }
        else
        {
            (pile with { Promise = options.Cache.Promise }).ValidateForMemory();
        }
    }

    internal override PileOptions PileOptionsOf(PileCacheHostOptions options) =>
        PileCache.PileOptionsOf(options.Cache, tiny: null, isInFiles: options.Directory is not null);

    internal override void AddServices(IServiceCollection services, string? key) =>
        HostedServices.AddPlace(services, key, new HostedPileCache(key), static place => place.Cache);

    internal override void Begin(IServiceProvider provider, string? key, ObjectPile pile, PileCacheHostOptions options, ILogger logger)
    {
        PileCacheOptions asked = options.Cache;
        if (ReferenceEquals(asked.TimeProvider, TimeProvider.System) && provider.GetService<TimeProvider>() is { } time)
        {
            asked = asked with { TimeProvider = time };
        }

        var cache = PileCache.Own(pile, asked, regions: null);
        if (options.Directory is not null)
        {
            Say(cache, PileNames.Describe(key, capital: false, Noun), logger);
        }

        PlaceOf(provider, key).Set(cache);
    }

    /// <summary>What was found in the directory: of a table that is as it was left, only whom details interest is told.</summary>
    private static void Say(PileCache cache, string name, ILogger logger)
    {
        foreach (PileTableRecovery table in cache.Recovery)
        {
            CacheLog.TableFound(logger, table.IsKept ? LogLevel.Debug : LogLevel.Warning, name, table.Name, table.Entries, table.Reason);
        }

        PileCacheStatistics statistics = cache.GetStatistics();
        CacheLog.CacheFound(logger, name, cache.TableNames.Count, statistics.Entries, statistics.UsedBytes, statistics.MemoryLimitBytes);
        if (statistics.UsedBytes > statistics.MemoryLimitBytes)
        {
            CacheLog.OverLimit(logger, name, statistics.UsedBytes, statistics.MemoryLimitBytes);
        }
    }
}
