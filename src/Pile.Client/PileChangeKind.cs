// What a change of a table is. The numbers are those of the protocol.
// A kind of a later server comes as its number.
namespace Pile.Client;

/// <summary>Kinds of changes.</summary>
public enum PileChangeKind
{
    /// <summary>An entry was stored.</summary>
    Set = 0,

    /// <summary>An entry was removed.</summary>
    Removed = 1,

    /// <summary>An entry has ended.</summary>
    Expired = 2,

    /// <summary>An entry left for want of room.</summary>
    Evicted = 3,

    /// <summary>All entries of the table were removed.</summary>
    Cleared = 4,

    /// <summary>All entries with a tag were removed; the tag is the change's key. Where that is empty, any entry with tags may be gone.</summary>
    TagRemoved = 5,

    /// <summary>Changes before this one are not known: what is kept elsewhere must be read anew.</summary>
    Lost = -1,
}
