// The products as a front reads them: its own copy, else the cache server's, else the office's. Start as many fronts as you like: what one has
// asked for, all have.
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;

namespace Shop;

/// <summary>The products. Thread-safe.</summary>
/// <param name="cache">The cache.</param>
/// <param name="office">Who is asked for what is not there.</param>
internal sealed class Shelf(HybridCache cache, Office office)
{
    private static readonly HybridCacheEntryOptions _current = new() { Flags = HybridCacheEntryFlags.DisableLocalCacheRead };

    /// <summary>A product to look at: it may be as old as <see cref="SharedCache.LocalCopy"/>.</summary>
    internal ValueTask<Product?> LookAtAsync(int id, CancellationToken cancel) => FindAsync(id, null, cancel);

    /// <summary>A product to pay for: as the office has it.</summary>
    internal ValueTask<Product?> PayForAsync(int id, CancellationToken cancel) => FindAsync(id, _current, cancel);

    private ValueTask<Product?> FindAsync(int id, HybridCacheEntryOptions? options, CancellationToken cancel) => cache.GetOrCreateAsync(
        $"product:{id}", (office, id), static (asked, cancel) => asked.office.FindAsync(asked.id, cancel), options, [SharedCache.AllProducts, SharedCache.TagOf(id)], cancel);
}
