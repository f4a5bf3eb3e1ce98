using System.Collections.Generic;
using Pile.Bench.Workloads;

namespace Pile.Bench.Caches;

/// <summary>The rows of the cache's goals that are no contest over the same operations (those are Pile.Compare's), in their order.</summary>
internal static class CacheWorkloads
{
    internal static IReadOnlyList<WorkloadEntry> All { get; } =
    [
        new("cache-memory", settings => new CacheMemory(settings)),
        new("cache-scale", settings => new CacheScaling(settings)),
        new("cache-tail", settings => new CacheTail(settings)),
        new("cache-expiry", settings => new CacheExpiry(settings)),
    ];
}
