// What the cleaner tells a cache of entries that stand in slots of the object table: they are objects like any, and the table is their owner;
// but the cache knows when they end, and some of them say when they were used last, which must not be lost while they move.
namespace Pile.Cleaning;

/// <summary>Owner of the entries of durable tables in files. Called by the holder of the cleaner role; thread-safe against everyone else.</summary>
internal interface ISlotOwner
{
    /// <summary>Whether a record is such an entry.</summary>
    /// <param name="recordWord">Word 0 of the record.</param>
    /// <param name="location">Where it stands.</param>
    bool IsEntry(ulong recordWord, long location);

    /// <summary>As <see cref="IRecordOwner.TryMove"/>, by the table.</summary>
    /// <param name="table">The object table as an owner.</param>
    /// <param name="recordWord">Word 0 of the record.</param>
    /// <param name="reference">What the table must find unchanged.</param>
    /// <param name="source">Where the record stands.</param>
    /// <param name="target">Where its copy stands.</param>
    bool TryMove(IRecordOwner table, ulong recordWord, ulong reference, long source, long target);
}
