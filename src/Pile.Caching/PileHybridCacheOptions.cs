// Options of the adapter to HybridCache: what entries live that say nothing, and what stands behind the cache.
// How it behaves when factories are slow or fail are the table's (PileTableOptions.Factory).
using System;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

namespace Pile.Caching;

/// <summary>Options of <see cref="PileHybridCache"/>.</summary>
public sealed class PileHybridCacheOptions : PileAdapterOptions
{
    /// <summary>The defaults: the table <c>hybrid</c>, nothing behind it.</summary>
    public PileHybridCacheOptions()
        : base("hybrid")
    {
    }

    /// <summary>What counts where a call's options say nothing; five minutes where these say nothing either.</summary>
    public HybridCacheEntryOptions DefaultEntryOptions { get; set; } = new();

    /// <summary>Finds the cache that stands behind this one, shared with other machines; null for none. It is not taken from the services by
    /// itself, for the <see cref="IDistributedCache"/> there may be this very cache.</summary>
    public Func<IServiceProvider, IDistributedCache?>? DistributedCache { get; set; }

    /// <summary>What all keys there begin with; <c>pile:</c> unless set. Caches that are to share entries there have the same one.</summary>
    public string DistributedKeyPrefix { get; set; } = "pile:";
}
