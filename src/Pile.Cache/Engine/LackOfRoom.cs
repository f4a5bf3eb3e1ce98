// What a full cache lacks, for the texts of who refuses a store: where the device of its files is low, more MemoryLimitBytes helps nothing.
// It does not say that a store would be refused: entries may leave for it.
using System;

namespace Pile.Cache.Engine;

/// <summary>Why a cache has no room.</summary>
internal static class LackOfRoom
{
    /// <summary>That the device is low, with its figures, as a part of a sentence; null where it is not, or there is none.</summary>
    internal static string? OfDevice(PileCache cache)
    {
        PileStatistics pile = cache.Pile.GetStatistics();
        return pile.IsDiskLow
            ? FormattableString.Invariant($"the device of the cache's files has {pile.DiskFreeBytes ?? 0:N0} bytes free, of which {cache.Pile.Durable!.ReserveBytes:N0} are kept")
            : null;
    }
}
