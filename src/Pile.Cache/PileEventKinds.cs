// What can become of the entries of a table, for those who watch it.
// One kind an event; a set of them says which events are wanted.
using System;

namespace Pile.Cache;

/// <summary>Kinds of events of a table.</summary>
[Flags]
public enum PileEventKinds
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>A key that had no entry, or one that had ended, got one.</summary>
    Inserted = 1,

    /// <summary>The entry of a key was replaced by another one.</summary>
    Replaced = 2,

    /// <summary>An entry was removed by a call.</summary>
    Removed = 4,

    /// <summary>An entry had ended, and went. Told when that is noticed: by a read of its key, in the background, or when its place is taken.</summary>
    Expired = 8,

    /// <summary>An entry that had not ended went to make room.</summary>
    Evicted = 16,

    /// <summary>All entries with a tag were removed: one event for all of them.</summary>
    TagRemoved = 32,

    /// <summary>All entries were removed: one event for all of them.</summary>
    Cleared = 64,

    /// <summary>All of the above.</summary>
    All = Inserted | Replaced | Removed | Expired | Evicted | TagRemoved | Cleared,

    /// <summary>Events that the reader was too slow for are missing here. Told whatever is wanted.</summary>
    Lost = 128,
}
