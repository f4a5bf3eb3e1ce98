// Limits of this project, each with its reason.
// docs/LIMITS.md lists them.
using System;

namespace Pile.Caching;

/// <summary>Named limits.</summary>
internal static class CachingLimits
{
    /// <summary>How long entries of a HybridCache live where nobody says: the stock one's default, so that a change to this one changes
    /// nothing.</summary>
    internal static readonly TimeSpan HybridExpiration = TimeSpan.FromMinutes(5);

    /// <summary>How long the removal of a tag is kept in the cache behind: no entry with tags lives longer there.</summary>
    internal static readonly TimeSpan TagRemovalLifetime = TimeSpan.FromDays(365);

    /// <summary>How long the note of a tag's removal may take on its way to the cache behind, before it counts as failed.</summary>
    internal static readonly TimeSpan TagNoteWait = TimeSpan.FromSeconds(30);

    /// <summary>Keys and tags, written or removed while the cache behind failed, and removed tags, that are remembered one by one. Beyond, what is there from
    /// before the middle one of them is not believed.</summary>
    internal const int DoubtsMax = 65_536;

    /// <summary>How often one call of a HybridCache asks: again when what it was answered could not be read, and was removed.</summary>
    internal const int HybridTriesMax = 2;

    /// <summary>How often a failure of one kind is written to the log.</summary>
    internal static readonly TimeSpan FailureLogEvery = TimeSpan.FromSeconds(1);
}
