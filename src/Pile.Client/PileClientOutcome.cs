// What became of a store or a removal. The numbers are those of the protocol.
// None of them is an error; errors are PileClientException.
namespace Pile.Client;

/// <summary>What became of a value that was to be stored, or of an entry that was to be removed.</summary>
public enum PileClientOutcome
{
    /// <summary>Stored; there was no entry.</summary>
    Inserted = 0,

    /// <summary>Stored in place of an entry.</summary>
    Replaced = 1,

    /// <summary>Nothing was changed: the condition of the call did not hold.</summary>
    Refused = 2,

    /// <summary>Not stored: there was no room. Of items of SetManyAsync only; SetAsync throws.</summary>
    Full = 3,

    /// <summary>Not stored: its end had passed already. A former entry is gone.</summary>
    Expired = 4,

    /// <summary>There was an entry, and it is gone.</summary>
    Removed = 5,

    /// <summary>There was none.</summary>
    Missing = 6,
}
