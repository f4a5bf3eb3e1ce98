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

        // As in memory first: there the limit has the name that it has here.
        bool isInFiles = options.Directory is not null;
        PileOptions pile = PileCache.PileOptionsOf(options.Cache, tiny: null, isInFiles: false);
        (pile with { Promise = isInFiles ? null : options.Cache.Promise }).ValidateForMemory();
        if (isInFiles)
        {
            PileOptionsOf(options).ValidateForFiles();
        }
    }

    internal override PileOptions PileOptionsOf(PileCacheHostOptions options) =>
        PileCache.PileOptionsOf(options.Cache, tiny: null, isInFiles: options.Directory is not null);

    internal override void AddServices(IServiceCollection services, string? key)
    {
        if (key is null)
        {
            _ = services.AddSingleton(new HostedPileCache(key: null));
            _ = services.AddSingleton(static provider => provider.GetRequiredService<HostedPileCache>().Cache);
        }
        else
        {
            _ = services.AddKeyedSingleton(key, new HostedPileCache(key));
            _ = services.AddKeyedSingleton(key, static (provider, key) => provider.GetRequiredKeyedService<HostedPileCache>(key).Cache);
        }
    }

    internal override void Begin(IServiceProvider provider, string? key, ObjectPile pile, PileCacheHostOptions options, ILogger logger)
    {
        PileCacheOptions asked = options.Cache;
        if (ReferenceEquals(asked.TimeProvider, TimeProvider.System) && provider.GetService<TimeProvider>() is { } time)
        {
            asked = asked with { TimeProvider = time };
        }

        var cache = PileCache.Own(pile, asked, regions: null);
        foreach (PileTableRecovery table in cache.Recovery)
        {
            CacheLog.TableFound(logger, PileNames.Describe(key, capital: false, Noun), table.Name, table.Entries, table.Reason);
        }

        PlaceOf(provider, key).Set(cache);
    }
}
