// The one seam between the cleaner and those who find records: the object table, later a cache index.
// The owner says whether the record at a location is the current one and swings its word when the record moves.
namespace Pile.Cleaning;

/// <summary>An owner space of records. Called by the holder of the cleaner role; thread-safe against everyone else.</summary>
internal interface IRecordOwner
{
    /// <summary>Asks for the cache line that <see cref="TryFind"/> will read.</summary>
    /// <param name="recordWord">Word 0 of the record.</param>
    /// <param name="location">Where it stands.</param>
    void Prefetch(ulong recordWord, long location);

    /// <summary>Whether the record at the location is the current one of its key.</summary>
    /// <param name="recordWord">Word 0 of the record.</param>
    /// <param name="location">Where it stands.</param>
    /// <param name="reference">What <see cref="TryMove"/> must find unchanged.</param>
    bool TryFind(ulong recordWord, long location, out ulong reference);

    /// <summary>Refers to the copy at <paramref name="target"/> from now on.</summary>
    /// <returns>False when the record was updated or deleted meanwhile; the copy is then dead.</returns>
    bool TryMove(ulong recordWord, ulong reference, long target);
}
