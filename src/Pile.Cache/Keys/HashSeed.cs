// What the hashes of a table's keys begin with, and how they are made. Hashes stand in files, so that a table keeps both as long as it is there.
// A table of before has the former hashes, one that is made now those of today: who drops it and makes it again changes them.
namespace Pile.Cache.Keys;

/// <summary>The seed of a table's hashes.</summary>
/// <param name="Value">The seed.</param>
/// <param name="IsFormer">Whether <see cref="KeyHash.FormerOf"/> makes them: of a table that was made by a version before.</param>
internal readonly record struct HashSeed(ulong Value, bool IsFormer = false)
{
    /// <summary>The comparer that makes the table's hashes. Null for the ordinal one of today, which needs no call.</summary>
    internal IPileKeyComparer? Applied(IPileKeyComparer comparer) => comparer switch
    {
        OrdinalComparer when !IsFormer => null,
        IgnoreCaseComparer when !IsFormer => IgnoreCaseComparer.OfToday,
        _ => comparer,
    };
}
