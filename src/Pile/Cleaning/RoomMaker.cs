// What a call does when it found no room: clean, give memory from one use to another, wait for readers, or answer Full.
// The caller has given back its writer and its pin before, and starts again from its check afterwards (W3).
using System;
using System.Threading;
using Pile.Diagnostics;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Cleaning;

/// <summary>Makes room for writers. Thread-safe.</summary>
internal sealed class RoomMaker<TFormat>(
    Cleaner<TFormat> cleaner,
    WriterSet<TFormat> writers,
    SegmentPool pool,
    LargeRuns large,
    SlotPool slots,
    MemoryBudget budget,
    TimeProvider time,
    byte tag)
    where TFormat : struct, IRecordFormat
{
    private long _stuckGrowths = -1;
    private long _stuckPasses = -1;
    private long _stuckBytes;
    private long _stuckFlushes;
    private long _helps;
    private long _refusals;

    /// <summary>Calls that cleaned or waited, each counted once.</summary>
    internal long Helps => Volatile.Read(ref _helps);

    /// <summary>Calls answered Full.</summary>
    internal long Refusals => Volatile.Read(ref _refusals);

    /// <summary>Makes room, or says that there is none.</summary>
    /// <param name="room">What was missing.</param>
    /// <param name="requestBytes">Bytes of the payload that found no room.</param>
    /// <param name="attempt">The call's own memory of its attempts.</param>
    /// <returns>Ok: start again. Full: nothing can be had.</returns>
    internal PileStatus Make(Room room, int requestBytes, ref RoomAttempt attempt)
    {
        if (attempt.Begin(time))
        {
            Interlocked.Increment(ref _helps);
        }

        if (!cleaner.TryEnterRole())
        {
            return WaitForHolder(ref attempt);
        }

        CleanOutcome outcome;
        bool? wasWorth;
        long roomBytes;
        long dropped = cleaner.DroppedBytes;
        bool hasDropped;
        bool isHeldBack;
        try
        {
            if (attempt.BudgetTries < RoomLimits.BudgetTriesMax && TryMoveBudgetLocked(room, requestBytes))
            {
                // Others may take it first; and where slots or address space are used up, no budget helps: hence the bound.
                attempt.BudgetTries++;
                return PileStatus.Ok;
            }

            outcome = CleanLocked(room, mayEvict: room != Room.Segment || attempt.OverRatio || IsAtLimit, ref attempt, out wasWorth, out bool isSearching, out isHeldBack);
            roomBytes = cleaner.RoomBytes;
            hasDropped = cleaner.DroppedBytes != dropped || isSearching;
        }
        finally
        {
            cleaner.ExitRole();
        }

        if (hasDropped)
        {
            // Room that others may take first; there is more where it came from.
            cleaner.Keyed!.Settle();
            attempt.BudgetTries = 0;
            return PileStatus.Ok;
        }

        // Asked before anything relies on it: what waits to be freed keeps others from being evicted below, and when a flush has freed it a moment later that is room,
        // and no reason to refuse.
        bool isAwaited = large.AwaitedBytes > 0;
        if (large.Reclaim(waitMs: 0) > 0 || (outcome == CleanOutcome.Progress && (wasWorth ?? attempt.IsWorth(roomBytes))))
        {
            attempt.BudgetTries = 0;
            return PileStatus.Ok;
        }

        if (!attempt.HasExpired && (room != Room.Segment || attempt.OverRatio) && cleaner.Keyed is { } keyed)
        {
            attempt.HasExpired = true;
            if (keyed.TryExpire())
            {
                attempt.BudgetTries = 0;
                return PileStatus.Ok;
            }
        }

        if ((room != Room.Segment || (attempt.OverRatio && (isHeldBack || large.UsedBytes > pool.ResidentBytes))) && TryEvictLarge(requestBytes, isHeldBack))
        {
            attempt.BudgetTries = 0;
            return PileStatus.Ok;
        }

        if (room == Room.Slots && slots.Waiting == 0)
        {
            // A writer keeps hundreds of what is freed under its hand to itself, and nobody else issues them.
            writers.GiveSlotsBack();
            if (slots.Pooled > 0)
            {
                return PileStatus.Ok;
            }
        }

        bool isSlotAwaited = room == Room.Slots && slots.Waiting > 0;
        if (isSlotAwaited)
        {
            cleaner.AskForFlush();
        }

        bool blocked = outcome == CleanOutcome.Blocked || isAwaited || isSlotAwaited || large.AwaitedBytes > 0;
        if (room == Room.Segment && !attempt.OverRatio)
        {
            if (blocked && attempt.Elapsed(time) < TimeSpan.FromMilliseconds(RoomLimits.ReadersWaitMs))
            {
                // Most readers leave in a moment; memory grown for want of patience takes long to go back.
                attempt.Spin();
                return PileStatus.Ok;
            }

            // Cleaning yields nothing now: grow beyond the ratio, up to the limit.
            attempt.OverRatio = true;
            return PileStatus.Ok;
        }

        // Not before: where the pile may still grow, a flush would be for nobody. What can be evicted may all stand in segments that wait for one, of which a look that got back
        // others, too few to be room, says nothing.
        large.AskForFlush();
        blocked |= cleaner.CanEvict && attempt.AwaitsFlush(cleaner.Flushes, another: outcome == CleanOutcome.Progress);
        if (!blocked && (!attempt.HasSealed || (!cleaner.WaitsForFlushes && cleaner.Keyed is { IsSearching: true })) && cleaner.TrySealToEvict())
        {
            attempt.HasSealed = true;
            attempt.BudgetTries = 0;
            return PileStatus.Ok;
        }

        if (isHeldBack && (!blocked || HasWaited(blocked, ref attempt)))
        {
            // What is to go first can't, and nothing that went is about to be free.
            cleaner.Keyed!.IsHeldBack = false;
            return PileStatus.Ok;
        }

        // A pin may end soon; that is the last hope, behind all that can be done meanwhile.
        return blocked || cleaner.HoldsPinned || large.RetiredBytes > 0 ? WaitForReaders(requestBytes, blocked, ref attempt) : Refuse(requestBytes);
    }

    /// <summary>Whether no writer gets another segment, however far the ratio of resident to live bytes would let the pile grow. What such
    /// a pile copies is time spent for entries that leave soon, and takes them away from where their order says when.</summary>
    private bool IsAtLimit => budget.FreeBytes < pool.NextSegmentBytes + pool.KeepBytes;

    /// <summary>Answers Full, and says so to those who watch.</summary>
    internal PileStatus Refuse(int requestBytes)
    {
        PileEventSource.Log.PileFull(tag, requestBytes, budget.UsedBytes, budget.LimitBytes);
        Interlocked.Increment(ref _refusals);
        return PileStatus.Full;
    }

    /// <summary>One pass for the caller. A pile over its ratio (readers held cleaning back, and it grew) cleans two segments for
    /// each that it takes and gives one back, so that it shrinks as it is written to, whether or not there is a keeper.</summary>
    /// <param name="room">What was missing. Cleaning gives no room to large objects, and would only move the few records by which they are
    /// found: where they may be evicted, that comes first.</param>
    /// <param name="mayEvict">Whether memory is what is short, and not only the ratio.</param>
    /// <param name="attempt">The call's own memory of its attempts.</param>
    /// <param name="wasWorth">Whether cleaning gained room, where that was asked already.</param>
    /// <param name="isSearching">Whether a pass was made to evict which found nothing that may go, and the next may.</param>
    /// <param name="isHeldBack">Whether one was made that left alone what may go, for the sake of what is to go before.</param>
    private CleanOutcome CleanLocked(Room room, bool mayEvict, ref RoomAttempt attempt, out bool? wasWorth, out bool isSearching, out bool isHeldBack)
    {
        isSearching = false;
        isHeldBack = false;
        bool isOver = pool.IsOverRatio;
        bool canEvict = mayEvict && cleaner.CanEvict;
        double utilisationMax = attempt is { IsToDelete: true, OverRatio: true } ? RoomLimits.DeletingUtilisationMax : RoomLimits.UtilisationMax;
        if (canEvict && attempt.HasCleanedInVain && IsMuchAwaited(0))
        {
            return ReclaimLocked(out wasWorth);
        }

        bool evictsFirst = canEvict && (attempt.HasCleanedInVain || (room == Room.Large && !cleaner.WaitsForFlushes));
        CleanOutcome outcome = evictsFirst ? CleanOutcome.NothingWorth : cleaner.Pass(isOver ? 2 : 1, canEvict ? RoomLimits.EvictingUtilisationMax : utilisationMax, waitMs: 0);
        // Records of some sizes leave segments that are worth cleaning by what they hold, and no room however often they are cleaned.
        wasWorth = canEvict && outcome == CleanOutcome.Progress ? attempt.IsWorth(cleaner.RoomBytes) : null;
        attempt.HasCleanedInVain |= wasWorth == false;
        if (canEvict && (outcome == CleanOutcome.NothingWorth || wasWorth == false))
        {
            if (IsMuchAwaited(budget.LimitBytes / RoomLimits.AwaitedFraction))
            {
                return ReclaimLocked(out wasWorth);
            }

            outcome = cleaner.Evict(waitMs: 0);
            isSearching = outcome == CleanOutcome.Progress && cleaner.Keyed!.IsSearching;
            isHeldBack = outcome != CleanOutcome.Progress && cleaner.Keyed!.IsHeldBack;
            outcome = outcome == CleanOutcome.NothingWorth && !(isHeldBack && room == Room.Large) ? cleaner.Pass(1, utilisationMax, waitMs: 0) : outcome;
        }

        _ = isOver && pool.TryGiveBack(RoomLimits.CleanerReserveSegments + 1);
        return outcome;
    }

    /// <summary>Whether a pass's worth, or so many bytes if that is more, waits for readers or a flush: one look after the other would evict everything until that has come.</summary>
    private bool IsMuchAwaited(long bytes) =>
        cleaner.AwaitedBytes + large.AwaitedBytes >= long.Max(bytes, (long)RoomLimits.CleanerVictimsMax * pool.NextSegmentBytes);

    private CleanOutcome ReclaimLocked(out bool? wasWorth)
    {
        wasWorth = cleaner.Reclaim() > 0;
        return wasWorth.Value ? CleanOutcome.Progress : CleanOutcome.Blocked;
    }

    /// <summary>Turns memory that is free for one use into budget for another.</summary>
    /// <returns>True when the budget has room for what is missing now and had none before, or lacks something else.</returns>
    private bool TryMoveBudgetLocked(Room room, int requestBytes)
    {
        int segmentBytes = pool.SegmentBytesForRecord(requestBytes);
        if (room == Room.Segment && segmentBytes == pool.SegmentBytesForRecord(0))
        {
            // Only the free pages of large objects can help; what is free of segments the pool would have handed out.
            bool helps = large.FreeResidentBytes > 0 && Lacks(pool.NextSegmentBytes);
            if (helps)
            {
                large.Trim(keepBytes: 0);
            }

            return helps;
        }

        long needBytes = room == Room.Slots ? slots.NextBytes : room == Room.Segment ? int.Max(segmentBytes, pool.NextSegmentBytes) : LargeRuns.RunBytes(requestBytes);
        bool hadRoom = room == Room.Segment && !Lacks(needBytes);
        if (Lacks(needBytes))
        {
            large.Trim(keepBytes: 0);
        }

        while (Lacks(needBytes) && pool.TryGiveBack(RoomLimits.CleanerReserveSegments))
        {
        }

        return !hadRoom && budget.FreeBytes >= needBytes + pool.KeepBytes;
    }

    /// <summary>Whether the budget has no room for something, or the device has none for what it refused.</summary>
    private bool Lacks(long bytes) => budget.FreeBytes < bytes + pool.KeepBytes || large.IsDeviceLow;

    /// <summary>Lets large objects go by their records alone, wherever these stand: where no segment could be evicted from, all that go may stand in
    /// open ones, or in such as wait for a flush. What waits to be freed counts, and a flush that holds it back is asked for.</summary>
    /// <returns>Whether any went.</returns>
    private bool TryEvictLarge(int requestBytes, bool onlyLowest)
    {
        long wantedBytes = long.Max(LargeRuns.RunBytes(requestBytes), budget.LimitBytes / RoomLimits.LargeEvictedFraction) - large.AwaitedBytes;
        bool hasEvicted = wantedBytes > 0 && cleaner.CanEvict && cleaner.Keyed!.TryEvictLarge(wantedBytes, onlyLowest);
        large.AskForFlush();
        return hasEvicted;
    }

    private static PileStatus WaitForHolder(ref RoomAttempt attempt)
    {
        // Someone else cleans: what it frees may be ours. A holder that does not come to an end is a defect, not a state.
        attempt.Spin();
        return PileStatus.Ok;
    }

    private PileStatus WaitForReaders(int requestBytes, bool isBlocked, ref RoomAttempt attempt)
    {
        if (HasWaited(isBlocked, ref attempt))
        {
            Volatile.Write(ref _stuckPasses, cleaner.Passes);
            Volatile.Write(ref _stuckGrowths, pool.Opened.Takes);
            Volatile.Write(ref _stuckBytes, large.RetiredBytes);
            Volatile.Write(ref _stuckFlushes, cleaner.Flushes.Completed);
            return Refuse(requestBytes);
        }

        attempt.Spin();
        return PileStatus.Ok;
    }

    /// <summary>Whether no use is in waiting any more: the time is over, or the same readers kept a caller waiting for all of it before, and nothing has moved since.</summary>
    /// <param name="isBlocked">Whether something will be free by itself: where a flush is still to come, it is given the time that slow devices take.</param>
    /// <param name="attempt">The call's own memory of its attempts.</param>
    private bool HasWaited(bool isBlocked, ref RoomAttempt attempt)
    {
        bool takesFlush = isBlocked && cleaner.Flushes.IsOwed;
        return (Volatile.Read(ref _stuckPasses) == cleaner.Passes && Volatile.Read(ref _stuckGrowths) == pool.Opened.Takes && Volatile.Read(ref _stuckBytes) <= large.RetiredBytes
                && (!takesFlush || Volatile.Read(ref _stuckFlushes) == cleaner.Flushes.Completed))
            || attempt.Elapsed(time) >= TimeSpan.FromMilliseconds(takesFlush ? RoomLimits.FlushWaitMs : RoomLimits.ReclaimWaitMs);
    }
}
