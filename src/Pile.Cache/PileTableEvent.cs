// One thing that became of a table's entries, as it is told to those who watch it.
// A value: nothing is allocated for it but the key.
namespace Pile.Cache;

/// <summary>An event of a table.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
public readonly record struct PileTableEvent<TKey>
    where TKey : notnull
{
    /// <summary>What took place: one kind.</summary>
    public PileEventKinds Kind { get; init; }

    /// <summary>Whose entry: a copy. Default where the event is of many entries: TagRemoved, Cleared, Lost; and where it
    /// is of a type that the program has not used since the directory was opened, so that it can't be read.</summary>
    public TKey? Key { get; init; }

    /// <summary>The entry's version: of Inserted and Replaced the new entry's, else of the one that went. Default where the event is of many entries.</summary>
    public PileEntryVersion Version { get; init; }

    /// <summary>Of Replaced the version of the entry that was replaced; default of all others.</summary>
    public PileEntryVersion Former { get; init; }

    /// <summary>The tag, of TagRemoved. Null for a tag of more than 15,360 bytes, and where more tags were removed than are kept one by one, so that
    /// older entries went whatever their tags: then any entry with tags may be gone. Null for all other events.</summary>
    public string? Tag { get; init; }

    /// <summary>Of Lost: how many events of the table are missing here, of any kind; -1 where that is not known. Else 0.</summary>
    public long LostCount { get; init; }

    /// <summary>Its place, to go on after it (<see cref="PileWatchOptions.After"/>); of Lost that of the last event that is missing.</summary>
    public PileEventPosition Position { get; init; }
}
