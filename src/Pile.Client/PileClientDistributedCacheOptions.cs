// Options of the adapter to IDistributedCache.
// Those of the client are its own.
namespace Pile.Client;

/// <summary>Options of <see cref="PileClientDistributedCache"/>.</summary>
public sealed class PileClientDistributedCacheOptions
{
    /// <summary>The table of the entries; <c>distributed</c> unless set. It is made when the server has none of that name.</summary>
    public string TableName { get; set; } = "distributed";

    /// <summary>What the table is made with. One that is there is used as it is.</summary>
    public PileClientTableOptions Table { get; set; } = new();
}
