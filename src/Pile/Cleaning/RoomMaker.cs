// What a call does when it found no room: clean, give memory from one use to another, wait for readers, or answer Full.
// The caller has given back its writer and its pin before, and starts again from its check afterwards (W3).
using System;
using System.Threading;
using Pile.Diagnostics;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>Makes room for writers. Thread-safe.</summary>
internal sealed class RoomMaker<TFormat>(
    Cleaner<TFormat> cleaner,
    SegmentPool pool,
    LargeRuns large,
    MemoryBudget budget,
    TimeProvider time,
    byte tag)
    where TFormat : struct, IRecordFormat
{
    private long _stuckGrowths = -1;
    private long _stuckPasses = -1;
    private long _helps;
    private long _refusals;

    /// <summary>Calls that cleaned or waited.</summary>
    internal long Helps => Volatile.Read(ref _helps);

    /// <summary>Calls answered Full.</summary>
    internal long Refusals => Volatile.Read(ref _refusals);

    /// <summary>Makes room, or says that there is none.</summary>
    /// <param name="room">What was missing.</param>
    /// <param name="needBytes">Bytes of the budget that slots or a large object need.</param>
    /// <param name="attempt">The call's own memory of its attempts.</param>
    /// <returns>Ok: start again. Full: nothing can be had.</returns>
    internal PileStatus Make(Room room, long needBytes, ref RoomAttempt attempt)
    {
        Interlocked.Increment(ref _helps);
        attempt.Begin(time);
        if (attempt.BudgetTries < Limits.BudgetTriesMax && (room == Room.Segment ? TryTrimLarge() : TryFreeBudget(needBytes)))
        {
            attempt.BudgetTries++;

            // Others may take it first; and where slots or address space are used up, no budget helps: hence the bound.
            return PileStatus.Ok;
        }

        if (!cleaner.TryEnterRole())
        {
            return WaitForHolder(ref attempt);
        }

        CleanOutcome outcome;
        long roomBytes;
        try
        {
            outcome = cleaner.Pass(wantedSegments: 1, Limits.UtilisationMax, waitMs: 0);
            roomBytes = cleaner.RoomBytes;
        }
        finally
        {
            cleaner.ExitRole();
        }

        if (large.Reclaim(waitMs: 0) > 0 || (outcome == CleanOutcome.Progress && attempt.IsWorth(roomBytes)))
        {
            attempt.BudgetTries = 0;
            return PileStatus.Ok;
        }

        bool blocked = outcome == CleanOutcome.Blocked || large.RetiredBytes > 0;
        if (room == Room.Segment && !attempt.OverRatio)
        {
            if (blocked && attempt.Elapsed(time) < TimeSpan.FromMilliseconds(Limits.ReadersWaitMs))
            {
                // Most readers leave in a moment; memory grown for want of patience takes long to go back.
                attempt.Spin();
                return PileStatus.Ok;
            }

            // Cleaning yields nothing now: grow beyond the ratio, up to the limit.
            attempt.OverRatio = true;
            return PileStatus.Ok;
        }

        return blocked ? WaitForReaders(needBytes, ref attempt) : Refuse(needBytes);
    }

    /// <summary>Gives back free pages of large objects where a segment lacks the budget.</summary>
    private bool TryTrimLarge()
    {
        if (large.FreeResidentBytes == 0 || budget.FreeBytes >= pool.NextSegmentBytes + pool.KeepBytes)
        {
            return false;
        }

        large.Trim(keepBytes: 0);
        return true;
    }

    /// <summary>Turns memory that is free for one use into budget for another.</summary>
    private bool TryFreeBudget(long needBytes)
    {
        long wanted = needBytes + pool.KeepBytes;
        if (budget.FreeBytes < wanted)
        {
            large.Trim(keepBytes: 0);
        }

        while (budget.FreeBytes < wanted && pool.TryGiveBack(Limits.CleanerReserveSegments))
        {
        }

        return budget.FreeBytes >= needBytes + pool.KeepBytes;
    }

    private static PileStatus WaitForHolder(ref RoomAttempt attempt)
    {
        // Someone else cleans: what it frees may be ours. A holder that does not come to an end is a defect, not a state.
        attempt.Spin();
        return PileStatus.Ok;
    }

    private PileStatus WaitForReaders(long needBytes, ref RoomAttempt attempt)
    {
        // The same readers kept a caller waiting for the whole time before, and nothing has moved since: no use in waiting.
        bool stuckBefore = Volatile.Read(ref _stuckPasses) == cleaner.Passes && Volatile.Read(ref _stuckGrowths) == pool.Takes;
        if (stuckBefore || attempt.Elapsed(time) >= TimeSpan.FromMilliseconds(Limits.ReclaimWaitMs))
        {
            Volatile.Write(ref _stuckPasses, cleaner.Passes);
            Volatile.Write(ref _stuckGrowths, pool.Takes);
            return Refuse(needBytes);
        }

        attempt.Spin();
        return PileStatus.Ok;
    }

    private PileStatus Refuse(long needBytes)
    {
        PileEventSource.Log.PileFull(tag, needBytes, budget.UsedBytes, budget.LimitBytes);
        Interlocked.Increment(ref _refusals);
        return PileStatus.Full;
    }
}
