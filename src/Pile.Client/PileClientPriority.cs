// What an entry is worth when its table is short of room. The numbers are those of the protocol.
// How the server evicts is docs/CACHE.md's to say.
namespace Pile.Client;

/// <summary>What an entry is worth.</summary>
public enum PileClientPriority
{
    /// <summary>What the table says.</summary>
    Table = 0,

    /// <summary>Evicted first.</summary>
    Low = 1,

    /// <summary>As most are.</summary>
    Normal = 2,

    /// <summary>Evicted last.</summary>
    High = 3,

    /// <summary>Never evicted: what is stored beyond the limit is refused instead.</summary>
    NeverRemove = 4,
}
