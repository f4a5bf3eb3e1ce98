// One step of a pile's background work: keep free segments ready for writers, hold the ratio of resident to live bytes,
// and, when little is being written, compact further and give memory back.
using System;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>The policy of the background thread. Called by one thread at a time.</summary>
internal sealed class Housekeeping<TFormat>(
    Cleaner<TFormat> cleaner,
    RoomMaker<TFormat> room,
    SegmentPool pool,
    GrowthPolicy policy,
    LargeRuns large,
    MemoryBudget budget,
    EpochDomain epochs,
    TimeProvider time,
    object heap) : IHousekeeping
    where TFormat : struct, IRecordFormat
{
    private long _takesSeen;
    private int _quietTicks;
    private long _overSince;
    private GainWatch _gain;
    private readonly FlushLead _lead = new(cleaner.Flushes);

    /// <inheritdoc/>
    public bool Tick(bool woken)
    {
        // Who takes a segment while enough are free wakes nobody.
        bool writing = pool.Opened.Takes != _takesSeen;
        _takesSeen = pool.Opened.Takes;
        _quietTicks = woken || writing ? 0 : _quietTicks + 1;
        _gain = woken || writing ? default : _gain;
        epochs.Observe();
        _ = large.Reclaim(waitMs: 0);
        if (writing || pool.LacksAhead)
        {
            Supply();
        }

        bool settled = HoldRatio() & HoldLimit();
        bool quiet = Quiet();
        settled &= cleaner.Keyed?.Tick() ?? true;

        // Reachable until here: a heap that the program forgot must not be finalized in the middle of a step.
        GC.KeepAlive(heap);
        return quiet && settled && !writing;
    }

    /// <summary>Keeps free segments ready: by cleaning where the pile is at its ratio, else by growing ahead, by no more than writers are about
    /// to take while both ratio and limit are far.</summary>
    private void Supply()
    {
        while (pool.GrowsFreely)
        {
            if (!pool.LacksAhead || !pool.TryPopulateAhead(isForWriters: true))
            {
                return;
            }
        }

        // As far as growth goes; to clean for more than is wanted would only move what stays.
        while (pool.FreeWorth < policy.FreeSegmentsWanted + policy.SegmentsAhead(pool.ResidentBytes, pool.NextSegmentBytes, budget.FreeBytes) && pool.TryPopulateAhead())
        {
        }

        while (pool.FreeWorth < policy.FreeSegmentsWanted && (pool.TryPopulateAhead() || Clean(1 / policy.UsedOverLive)))
        {
        }

        // One segment ahead of the writers, and where they would wait for flushes what makes up for that; no more: what is free caches nothing.
        _lead.Look(room.Helps, pool.NextSegmentBytes, budget.LimitBytes);
        while (LacksEvicted && budget.FreeBytes < pool.NextSegmentBytes + pool.KeepBytes && (Evict() || (cleaner.Keyed is { IsHeldBack: true } && cleaner.TrySealToEvict())))
        {
        }
    }

    /// <summary>Whether writers have less ahead than they shall: a free segment, and what <see cref="FlushLead"/> says, free or waiting to be.</summary>
    private bool LacksEvicted => pool.FreeWorth <= pool.ReserveSegments
        || pool.FreeBytes + cleaner.AwaitedBytes < ((long)pool.ReserveSegments * pool.NextSegmentBytes) + _lead.Bytes;

    /// <summary>Cleans and gives back while the pile holds more than its ratio allows.</summary>
    /// <returns>True when it holds no more than that, or nothing can be done about it now.</returns>
    private bool HoldRatio()
    {
        // What is free now may be wanted again in a moment (a refill after Clear): it goes back only when the pile has held
        // too much for a while.
        bool over = pool.IsOverRatio;
        _overSince = !over ? 0 : _overSince == 0 ? time.GetTimestamp() : _overSince;
        bool forLong = over && time.GetElapsedTime(_overSince).TotalMilliseconds >= RoomLimits.KeeperOverMs;
        for (int step = 0; step < RoomLimits.KeeperSegmentsPerTick && pool.IsOverRatio; step++)
        {
            bool gave = forLong && pool.TryGiveBack(policy.FreeSegmentsWanted);
            if (!gave && !Clean(policy.UtilisationMax(pool.NextSegmentBytes)))
            {
                return forLong;
            }
        }

        return !over;
    }

    /// <summary>Gives back what can be freed while the pile holds more than its limit, which was lowered.</summary>
    /// <returns>True when it holds no more than that, or nothing can be done about it now.</returns>
    private bool HoldLimit()
    {
        for (int step = 0; step < RoomLimits.KeeperSegmentsPerTick && IsOverLimit(); step++)
        {
            // Where large objects take more than segments, cleaning these first would only move the records that lead to them.
            if (large.UsedBytes > pool.ResidentBytes && Evict(forLarge: true))
            {
                // Their pages are free when readers have left, or a flush has come: until then nobody can tell whether it was enough.
                return false;
            }

            if (!pool.TryGiveBack(RoomLimits.CleanerReserveSegments) && !Clean(RoomLimits.UtilisationMax) && !Evict() && !cleaner.TrySealToEvict() && !GoesOn())
            {
                return true;
            }
        }

        return budget.UsedBytes <= budget.LimitBytes;
    }

    /// <summary>Has what may go leave, where the last offer left it alone for the sake of what is to go before.</summary>
    private bool GoesOn()
    {
        bool isHeldBack = cleaner.Keyed is { IsHeldBack: true };
        if (isHeldBack)
        {
            cleaner.Keyed!.IsHeldBack = false;
        }

        return isHeldBack;
    }

    /// <summary>Whether the pile holds more than its limit when all pages that are free have gone back.</summary>
    private bool IsOverLimit()
    {
        if (budget.UsedBytes > budget.LimitBytes)
        {
            _ = large.Reclaim(waitMs: 0);
            large.Trim(keepBytes: 0);
        }

        return budget.UsedBytes > budget.LimitBytes;
    }

    /// <summary>When nothing was written for a while: compacts toward the idle ratio and gives free memory back.</summary>
    private bool Quiet()
    {
        if (_quietTicks < RoomLimits.KeeperQuietTicks)
        {
            return false;
        }

        large.Trim(keepBytes: 0);
        for (int step = 0; step < RoomLimits.KeeperSegmentsPerTick; step++)
        {
            bool gave = pool.ResidentBytes - pool.NextSegmentBytes >= policy.KeptBytes && pool.TryGiveBack(keepFree: 0);
            bool cleaned = pool.IsOver(RoomLimits.UsedOverLiveIdle) && Clean(1 / RoomLimits.UsedOverLiveIdle);
            if (!gave && !cleaned)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>One pass that forgets records.</summary>
    /// <param name="forLarge">Whether large objects are to go: then segments that wait to be freed are no reason to wait.</param>
    /// <returns>Whether another makes sense: this one forgot some, or only looked at entries that may go the next time.</returns>
    private bool Evict(bool forLarge = false)
    {
        if (!cleaner.CanEvict || !cleaner.TryEnterRole())
        {
            return false;
        }

        bool isGoingOn;
        try
        {
            // What waits for readers, or for a flush, frees nothing before that, however much more is evicted: as much as a flush shall free waits at the most.
            bool isSearching = false;
            long dropped = cleaner.DroppedBytes;
            _ = cleaner.Reclaim();
            if ((forLarge || !cleaner.IsWaiting || cleaner.AwaitedBytes < _lead.Bytes) && large.AwaitedBytes == 0)
            {
                isSearching = cleaner.Evict(waitMs: 0) == CleanOutcome.Progress && cleaner.Keyed!.IsSearching;
            }

            isGoingOn = isSearching || cleaner.DroppedBytes != dropped;
        }
        finally
        {
            cleaner.ExitRole();
        }

        cleaner.Keyed!.Settle();
        return isGoingOn;
    }

    private bool Clean(double utilisationMax)
    {
        if (!cleaner.TryEnterRole())
        {
            return false;
        }

        try
        {
            // Without waiting for readers: writers wait for the role. What they hold back is freed at the next step.
            CleanOutcome outcome = cleaner.Pass(wantedSegments: 2, double.Min(RoomLimits.UtilisationMax, utilisationMax), waitMs: 0);
            return outcome == CleanOutcome.Progress && _gain.IsWorth(cleaner.RoomBytes);
        }
        finally
        {
            cleaner.ExitRole();
        }
    }
}
