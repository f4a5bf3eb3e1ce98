// What one pass of the cleaner achieved, for those who wait for room.
// It does not count: what was moved and freed stands in the cleaner's own counters.
namespace Pile.Cleaning;

/// <summary>Result of a pass.</summary>
internal enum CleanOutcome
{
    /// <summary>Segments were freed, or survivors were packed on the way to that.</summary>
    Progress,

    /// <summary>No sealed segment has enough dead bytes to be worth moving.</summary>
    NothingWorth,

    /// <summary>There is something to reclaim, but readers, or a flush that is to come, hold it back.</summary>
    Blocked,
}
