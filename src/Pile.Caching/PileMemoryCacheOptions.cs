// Options of the adapter to IMemoryCache.
// It has none but those of all adapters.
namespace Pile.Caching;

/// <summary>Options of <see cref="PileMemoryCache"/>.</summary>
public sealed class PileMemoryCacheOptions : PileAdapterOptions
{
    /// <summary>The defaults: the table <c>memory</c>.</summary>
    public PileMemoryCacheOptions()
        : base("memory")
    {
    }
}
