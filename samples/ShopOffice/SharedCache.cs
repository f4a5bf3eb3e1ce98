// The cache of both sides of the shop: a HybridCache in the memory of each process, and the cache server behind it for all of them. The same
// client is the IDistributedCache.
using System;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Pile.Caching;
using Pile.Client;

namespace Shop;

/// <summary>What both sides of the shop put among their services.</summary>
internal static class SharedCache
{
    /// <summary>The tag of all products.</summary>
    internal const string AllProducts = "products";

    /// <summary>How long a process may show its own copy of a product while the office has changed it.</summary>
    internal static readonly TimeSpan LocalCopy = TimeSpan.FromSeconds(2);

    /// <summary>The tag of one product.</summary>
    internal static string TagOf(int id) => $"product:{id}";

    /// <summary>Adds the client of the server at <c>PileClient:Address</c> (<c>http://127.0.0.1:7171</c> unless set), and the caches on it.</summary>
    internal static void AddSharedCache(this WebApplicationBuilder builder)
    {
        _ = builder.AddPileClient();
        _ = builder.Services.AddPileClientDistributedCache();
        _ = builder.AddPileCache(static options =>
        {
            options.InMemory = true;
            options.Cache = options.Cache with { MemoryLimitBytes = options.Cache.MemoryLimitBytes ?? 64 << 20 };
        });
        _ = builder.Services.AddPileHybridCache(configure: static options =>
        {
            options.DistributedCache = static services => services.GetRequiredService<IDistributedCache>();
            options.DefaultEntryOptions = new() { Expiration = TimeSpan.FromHours(1), LocalCacheExpiration = LocalCopy };
        });
        _ = builder.Services.AddHealthChecks().AddPileClient();
    }
}
