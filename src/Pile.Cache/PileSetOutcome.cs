// What became of a Set.
// Every call that stores answers with one of these; none throws because a cache is full.
namespace Pile.Cache;

/// <summary>Outcome of storing an entry.</summary>
public enum PileSetOutcome
{
    /// <summary>The key had no entry, and has one now.</summary>
    Inserted,

    /// <summary>The key's entry was replaced.</summary>
    Replaced,

    /// <summary>The condition did not hold: the key has an entry, or none, or one of another version; or, of a call with a
    /// condition, the value was past its expiry when it came. Nothing was changed.</summary>
    Refused,

    /// <summary>There is no room, and to evict others gives none. What the key had is as it was; others may have been evicted (<see cref="PileSetResult.Evicted"/>).</summary>
    Full,

    /// <summary>The value was past its expiry when it came. The key has no entry now.</summary>
    Expired,
}
