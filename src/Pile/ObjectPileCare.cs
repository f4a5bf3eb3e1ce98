// Upkeep of a pile: looking at all of it, counting, compacting, verifying, clearing.
// Nothing here is needed for correct or bounded operation; the pile looks after itself.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Primitives;

namespace Pile;

/// <summary>Upkeep of a pile.</summary>
public static class ObjectPileCare
{
    /// <summary>All objects, in slot order, while others write.</summary>
    /// <param name="pile">The pile.</param>
    /// <returns>A stack-only enumeration; allocates nothing.</returns>
    public static PileItems Enumerate(this ObjectPile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        return new PileItems(pile);
    }

    /// <summary>Counts of the pile now.</summary>
    /// <param name="pile">The pile.</param>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Takes microseconds; may be called while others write.</remarks>
    public static PileStatistics GetStatistics(this ObjectPile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        PileStatistics statistics = pile.Care.GetStatistics();
        return pile.Durable is not { } files ? statistics : statistics with
        {
            DiskFreeBytes = files.Directory.TryFreeBytes(),
            IsDiskLow = files.IsDiskLow,
            Failure = files.Flusher.Failure is { } failure ? files.Poisoned(failure) : null,
            TableDamages = files.Upkeep.Recounting.TableDamages,
        };
    }

    /// <summary>Moves objects together and gives memory back until the pile holds no more than a ratio of what lives in it.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="usedOverLiveMax">The ratio of resident segment bytes to live bytes to reach, 1.05 to 16.</param>
    /// <param name="cancellationToken">Ends the work after the present pass; what was gained stays gained.</param>
    /// <exception cref="ArgumentOutOfRangeException">The ratio is out of its range.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="PileException">The pile was opened for reading alone, or a flush failed.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Others read and write meanwhile. Copies up to all live bytes.</remarks>
    public static PileCompactReport Compact(this ObjectPile pile, double usedOverLiveMax = RoomLimits.UsedOverLiveMin, CancellationToken cancellationToken = default) =>
        Compact(pile, usedOverLiveMax, progress: null, cancellationToken);

    /// <inheritdoc cref="Compact(ObjectPile, double, CancellationToken)"/>
    /// <param name="pile">The pile.</param>
    /// <param name="usedOverLiveMax">The ratio of resident segment bytes to live bytes to reach, 1.05 to 16.</param>
    /// <param name="progress">Gets the progress, after each pass; null for none.</param>
    /// <param name="cancellationToken">Ends the work after the present pass; what was gained stays gained.</param>
    public static PileCompactReport Compact(this ObjectPile pile, double usedOverLiveMax, IProgress<PileCompactProgress>? progress, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(pile);
        if (!(usedOverLiveMax is >= RoomLimits.UsedOverLiveMin and <= RoomLimits.UsedOverLiveMax))
        {
            Throw.Argument(nameof(usedOverLiveMax), usedOverLiveMax, $"The ratio must lie between {RoomLimits.UsedOverLiveMin} (UsedOverLiveMin) and {RoomLimits.UsedOverLiveMax} (UsedOverLiveMax).");
        }

        return pile.Care.Compact(usedOverLiveMax, progress, cancellationToken);
    }

    /// <summary>Checks every invariant of the pile: entries, records, counts, budget; in files every checksum of what lives.</summary>
    /// <param name="pile">The pile.</param>
    /// <exception cref="PilePoisonedException">Of a pile in files: the system could not write back pages of its table of objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Runs on all cores, with threads of its own. Writers of a pile in files wait while one segment at a time is compared, and for a
    /// count of the entries in the end; those of a pile in memory until it returns. Readers never wait. Not called inside a lease of this
    /// pile.</remarks>
    public static PileVerifyReport Verify(this ObjectPile pile) => Verify(pile, progress: null, CancellationToken.None);

    /// <inheritdoc cref="Verify(ObjectPile)"/>
    /// <param name="pile">The pile.</param>
    /// <param name="progress">Gets the progress, on a thread that holds nothing: it may use the pile. What it throws is thrown here in the end. Null for none.</param>
    /// <param name="cancellationToken">Ends it between two segments.</param>
    public static PileVerifyReport Verify(this ObjectPile pile, IProgress<PileVerifyProgress>? progress, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(pile);
        PileVerifyReport report = pile.Care.Verify(progress, cancellationToken);
        pile.Durable?.Failed.RefuseLost(pile.Durable.Flusher.Fail);
        return report;
    }

    /// <summary>The segments of the pile, by index: how full each is, how much of it lives, how old it is.</summary>
    /// <param name="pile">The pile.</param>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Costs a row a segment; may be called while others write. Waits until what an open found is counted.</remarks>
    public static IReadOnlyList<PileSegment> ListSegments(this ObjectPile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        return pile.Care.ListSegments();
    }

    /// <summary>Deletes all objects at once. Their pointers are stale from then on; generations go on.</summary>
    /// <param name="pile">The pile.</param>
    /// <exception cref="PileException">The pile was opened for reading alone, or a flush failed.</exception>
    /// <exception cref="PileCorruptedException">Entries of the table were found to be damaged: the next open builds it anew, and can be cleared.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Writers wait meanwhile; readers see objects vanish. Much cheaper than deleting each. Memory is kept for refilling
    /// and goes back to the system when the pile stays quiet. Not called inside a lease of this pile.</remarks>
    public static void Clear(this ObjectPile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        pile.Roots.WhileStill(pile.Care.Clear);
    }
}
