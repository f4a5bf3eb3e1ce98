// Options of the adapter to IDistributedCache.
// It has none but those of all adapters.
namespace Pile.Caching;

/// <summary>Options of <see cref="PileDistributedCache"/>.</summary>
public sealed class PileDistributedCacheOptions : PileAdapterOptions
{
    /// <summary>The defaults: the table <c>distributed</c>.</summary>
    public PileDistributedCacheOptions()
        : base("distributed")
    {
    }
}
