// Upkeep of a heap, whatever its record format: what a pile's statistics, Compact, Clear and Verify call.
// None of it is on a hot path, so that an interface costs nothing here.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Pile.Heap;

/// <summary>Upkeep. Thread-safe.</summary>
internal interface IHeapCare
{
    /// <summary>Counts of now.</summary>
    PileStatistics GetStatistics();

    /// <summary>Counts of now, or null when the pile was disposed.</summary>
    PileStatistics? TryGetStatistics();

    /// <summary>Compacts to a ratio and gives free memory back.</summary>
    PileCompactReport Compact(double usedOverLive, IProgress<PileCompactProgress>? progress, CancellationToken cancellationToken);

    /// <summary>Deletes everything.</summary>
    void Clear();

    /// <summary>Checks all invariants.</summary>
    PileVerifyReport Verify(IProgress<PileVerifyProgress>? progress, CancellationToken cancellationToken);

    /// <summary>The segments that are there.</summary>
    IReadOnlyList<PileSegment> ListSegments();
}
