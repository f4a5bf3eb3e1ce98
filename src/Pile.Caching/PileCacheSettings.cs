// The settings that a cache has in configuration. Pile.Hosting's reader reads them.
// Ranges are not judged here.
using System.Collections.Generic;
using Pile.Cache;
using Pile.Hosting;

namespace Pile.Caching;

/// <summary>A cache's section of the configuration.</summary>
internal static class PileCacheSettings
{
    /// <summary>All of them, in the order of the documents.</summary>
    internal static IReadOnlyList<PileSetting<PileCacheHostOptions>> All { get; } =
    [
        PileSetting<PileCacheHostOptions>.Text(nameof(PileCacheHostOptions.Directory), "a path", static (options, text) => options.Directory = text),
        PileSetting<PileCacheHostOptions>.Switch(nameof(PileCacheHostOptions.InMemory), static (options, value) => options.InMemory = value),
        PileSetting<PileCacheHostOptions>.Size(nameof(PileCacheOptions.MemoryLimitBytes), static (options, value) => options.Cache = options.Cache with { MemoryLimitBytes = value }),
        PileSetting<PileCacheHostOptions>.Choice<PilePromise>(nameof(PileCacheOptions.Promise), static (options, value) => options.Cache = options.Cache with { Promise = value }),
        PileSetting<PileCacheHostOptions>.Ratio(nameof(PileCacheOptions.UsedOverLive), static (options, value) => options.Cache = options.Cache with { UsedOverLive = value }),
        PileSetting<PileCacheHostOptions>.Switch(nameof(PileCacheOptions.BackgroundCleaning), static (options, value) => options.Cache = options.Cache with { BackgroundCleaning = value }),
    ];
}
