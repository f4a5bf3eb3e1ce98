// What became of a store or a removal, in the words of the protocol.
// Full is a failure, and is thrown.
namespace Pile.Tool.Entries;

/// <summary>An outcome.</summary>
internal enum EntryOutcome
{
    /// <summary>Stored; there was no entry.</summary>
    Inserted,

    /// <summary>Stored in place of an entry.</summary>
    Replaced,

    /// <summary>Not stored: the condition did not hold.</summary>
    Refused,

    /// <summary>Not stored: its end had passed.</summary>
    Expired,

    /// <summary>There was an entry, and it is gone.</summary>
    Removed,

    /// <summary>There was none.</summary>
    Missing,
}
