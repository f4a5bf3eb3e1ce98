// Upkeep of a heap: statistics, compaction, clearing, and the frame in which the verifier runs.
// Clear and Verify exclude all writers by holding every one of them, in the lock order writers, then cleaner role.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Cleaning;
using Pile.Diagnostics;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Upkeep. Thread-safe.</summary>
internal sealed class HeapCare<TFormat>(HeapCore<TFormat> core) : IHeapCare
    where TFormat : struct, IRecordFormat
{
    /// <inheritdoc/>
    public PileStatistics GetStatistics()
    {
        PileStatistics? statistics = TryGetStatistics();
        if (statistics is null)
        {
            Throw.Disposed();
        }

        return statistics;
    }

    /// <inheritdoc/>
    public PileStatistics? TryGetStatistics()
    {
        if (!core.TryEnterCare())
        {
            return null;
        }

        try
        {
            (int threads, TimeSpan oldest, _) = core.Epochs.Holders();
            return new PileStatistics
            {
                IsCounted = core.IsCountedWhole,
                Objects = core.Writers.Objects,
                LiveBytes = core.Writers.LiveBytes - core.SchemaBytes,
                SegmentBytes = core.Pool.ResidentBytes,
                FreeSegmentBytes = core.Pool.FreeBytes,
                RetiredSegments = core.Retired.Count,
                PinnedSegments = core.Retired.Pinned,
                QuarantinedSegments = core.Retired.Quarantined,
                TableBytes = core.Slots.TakenBytes,
                SlotsIssued = core.Slots.HighWater - Limits.FirstSlot,
                SlotsRetired = core.Slots.Retired,
                LargeObjects = core.Large.Objects,
                LargeBytes = core.Large.UsedBytes,
                UsedBytes = core.Budget.UsedBytes,
                PeakUsedBytes = core.Budget.PeakBytes,
                MemoryLimitBytes = core.Budget.LimitBytes,
                CleanerPasses = core.Cleaner.Passes,
                CleanerMovedRecords = core.Cleaner.MovedRecords,
                CleanerMovedBytes = core.Cleaner.MovedBytes,
                AppendedBytes = core.Writers.AppendedBytes,
                RoomWaits = core.Room.Helps,
                Refusals = core.Room.Refusals,
                ThreadsInside = threads,
                OldestStay = oldest,
                CorruptedObjects = core.Touch?.Condemned ?? 0,
                Pins = core.Pins.Count,
            };
        }
        finally
        {
            core.ExitCare();
        }
    }

    /// <inheritdoc/>
    public PileCompactReport Compact(double usedOverLive, IProgress<PileCompactProgress>? progress, CancellationToken cancellationToken)
    {
        Enter(cancellationToken);
        try
        {
            RefuseWhereNothingIsWritten(nameof(Compact));
            long before = core.Budget.UsedBytes;
            long movedBefore = core.Cleaner.MovedBytes;
            _ = core.Large.Reclaim(waitMs: RoomLimits.KeeperTickMs);
            core.Large.Trim(keepBytes: 0);
            long residentBefore = core.Pool.ResidentBytes;
            long toGiveBack = long.Max(0, residentBefore - TargetOf(usedOverLive));
            bool reached;
            bool isGoingOn = true;
            int flushes = 0;
            GainWatch gain = default;
            while (!(reached = GiveBackTo(usedOverLive)) && isGoingOn)
            {
                progress?.Report(new PileCompactProgress(long.Clamp(residentBefore - core.Pool.ResidentBytes, 0, toGiveBack), toGiveBack));
                cancellationToken.ThrowIfCancellationRequested();
                core.Cleaner.EnterRole();
                try
                {
                    CleanOutcome outcome = core.Cleaner.Pass(wantedSegments: 4, RoomLimits.CompactUtilisationMax, waitMs: RoomLimits.KeeperTickMs);
                    isGoingOn = outcome == CleanOutcome.Progress && gain.IsWorth(core.Cleaner.RoomBytes);
                }
                finally
                {
                    core.Cleaner.ExitRole();
                }

                if (!isGoingOn && core.Log.Flushes.IsWaitedFor && ++flushes <= RoomLimits.CompactFlushesMax)
                {
                    // What was sealed or copied since the last flush waits for one.
                    core.FlushNow();
                    isGoingOn = true;
                }
            }

            return new PileCompactReport(before, core.Budget.UsedBytes, core.Cleaner.MovedBytes - movedBefore, reached);
        }
        finally
        {
            core.ExitCare();
        }
    }

    /// <inheritdoc/>
    public void Clear()
    {
        Enter();
        try
        {
            RefuseWhereNothingIsWritten(nameof(Clear));
            using Lock.Scope noneComes = core.KeyedComing.EnterScope();
            HoldAll();
            try
            {
                core.Clearing.Begin();
                ClearLocked();
                core.Clearing.End();
            }
            catch (Exception failure)
            {
                core.Clearing.Fail(failure);
                throw;
            }
            finally
            {
                ReleaseAll();
            }

            // Readers of before may still look: wait for them a little, the rest comes back with later passes. All is cleared: no interrupt undoes that.
            Gates.Anyhow(core.Cleaner.EnterRole);
            try
            {
                _ = core.Retired.WaitPassed(RoomLimits.KeeperTickMs);
                _ = core.Cleaner.Reclaim();
            }
            finally
            {
                core.Cleaner.ExitRole();
            }

            _ = core.Large.Reclaim(waitMs: RoomLimits.KeeperTickMs);
        }
        finally
        {
            core.ExitCare();
        }

        // Behind all that others wait for, Dispose too: who listens may call it.
        PileEventSource.Log.PileCleared(core.Tag);
    }

    /// <inheritdoc/>
    public PileVerifyReport Verify(IProgress<PileVerifyProgress>? progress, CancellationToken cancellationToken)
    {
        Enter(cancellationToken);
        try
        {
            var verifier = new HeapVerifier<TFormat>(core, progress, cancellationToken);
            try
            {
                verifier.ReadAhead();

                // The background thread gives memory back and populates without the role: between two of its steps the counts agree.
                using Lock.Scope noneComes = core.KeyedComing.EnterScope();
                lock (core.Keeper.Working)
                {
                    LockOrder.Enter(LockRank.KeeperStep);
                    HoldAll();
                    try
                    {
                        return verifier.Run();
                    }
                    finally
                    {
                        ReleaseAll();
                        LockOrder.Exit(LockRank.KeeperStep);
                    }
                }
            }
            finally
            {
                verifier.End();
            }
        }
        finally
        {
            core.ExitCare();
        }
    }

    /// <inheritdoc/>
    public IReadOnlyList<PileSegment> ListSegments()
    {
        Enter();
        try
        {
            List<PileSegment> segments = [];
            for (int index = 0; index < core.Directory.Count; index++)
            {
                Segment segment = core.Directory[index];
                PileSegmentState state = (PileSegmentState)segment.State;
                if (state != PileSegmentState.Absent)
                {
                    int written = state == PileSegmentState.Free ? 0 : core.Writers.WrittenOf(segment);
                    int live = state is PileSegmentState.Open or PileSegmentState.Sealed ? int.Clamp(written - core.Writers.DeadOf(index), 0, written) : 0;
                    segments.Add(new PileSegment(index, state, segment.Sequence, segment.Bytes, written, live));
                }
            }

            return segments;
        }
        finally
        {
            core.ExitCare();
        }
    }

    private void RefuseWhereNothingIsWritten(string operation)
    {
        if (core.WriteRefusal is var status and not PileStatus.Ok)
        {
            core.ThrowIfPoisoned(status);
            Throw.Failed(status, default, operation);
        }
    }

    private void Enter(CancellationToken cancellationToken = default)
    {
        core.WaitCounted(cancellationToken);
        if (!core.TryEnterCare())
        {
            Throw.Disposed();
        }
    }

    /// <summary>Excludes everyone but readers, in the lock order.</summary>
    private void HoldAll()
    {
        if (Fault.RoleBeforeWriters)
        {
            core.Cleaner.EnterRole();
        }

        core.Writers.HoldAll();
        try
        {
            if (!Fault.RoleBeforeWriters)
            {
                core.Cleaner.EnterRole();
            }
        }
        catch
        {
            core.Writers.ReleaseAll();
            throw;
        }
    }

    private void ReleaseAll()
    {
        core.Cleaner.ExitRole();
        core.Writers.ReleaseAll();
    }

    private long TargetOf(double usedOverLive) => long.Max((long)(core.Writers.LiveBytes * usedOverLive), core.Policy.KeptBytes);

    private bool GiveBackTo(double usedOverLive)
    {
        long target = TargetOf(usedOverLive);
        core.Cleaner.EnterRole();
        try
        {
            while (core.Pool.ResidentBytes > target && core.Pool.TryGiveBack(keepFree: 0))
            {
            }
        }
        finally
        {
            core.Cleaner.ExitRole();
        }

        return core.Pool.ResidentBytes <= target;
    }

    private void ClearLocked()
    {
        // What needs memory comes first: nothing may throw any more once entries are free.
        List<LargeDescriptor> runs = LiveRuns();
        uint slots = core.Slots.HighWater;
        long objects = core.Writers.Objects;
        Dictionary<int, int> kept = BytesOfSchemas();
        List<Segment> emptied = new(core.Directory.Count);
        core.Retired.Reserve(core.Directory.Count);
        core.Keyed?.ForgetAll();
        core.Table.FreeAll(slots);
        foreach (LargeDescriptor run in runs)
        {
            // After the entries are free: nobody who enters later can find the run.
            core.Large.Retire(run.RunLocation, run.PayloadBytes);
        }

        for (int index = 0; index < core.Writers.Count; index++)
        {
            core.Writers[index]!.DropSlots();
            core.Writers[index]!.Seal();
        }

        SegmentWriter<TFormat> survivors = core.Writers.Survivors;
        survivors.Seal();
        core.Writers[0]!.CountObjects(-objects);
        core.Slots.PoolAll();
        for (int index = 0; index < core.Directory.Count; index++)
        {
            Segment segment = core.Directory[index];
            if (segment.State is SegmentState.Sealed or SegmentState.Quarantined)
            {
                // A segment with schemas stays as it is; cleaning moves them later like any record.
                int keptBytes = kept.GetValueOrDefault(index);
                survivors.Dead.Add(index, segment.WrittenBytes - core.Writers.DeadOf(index) - keptBytes);
                if (keptBytes == 0 && segment.State == SegmentState.Sealed)
                {
                    emptied.Add(segment);
                }
            }
        }

        core.Retired.Add(emptied);
    }

    /// <summary>Bytes of schema records by segment.</summary>
    private Dictionary<int, int> BytesOfSchemas()
    {
        Dictionary<int, int> bytes = [];
        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            if (EntryWord.IsInternal(entry))
            {
                long location = EntryWord.Location(entry);
                int segment = core.Directory.Space.SegmentIndex(location);
                bytes[segment] = bytes.GetValueOrDefault(segment)
                    + SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(core.Directory.Space.ReadWord(location)));
            }
        }

        return bytes;
    }

    /// <summary>The runs of all large objects; their descriptors are found through the entries.</summary>
    private List<LargeDescriptor> LiveRuns()
    {
        List<LargeDescriptor> runs = [];
        for (uint slot = Limits.FirstSlot; core.Large.Objects > 0 && slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            if (EntryWord.IsLive(entry) && RecordWord.Code(core.Directory.Space.ReadWord(EntryWord.Location(entry))) == RecordCode.Large
                && core.TryReadRun(EntryWord.Location(entry), isCounted: true, out LargeDescriptor run))
            {
                runs.Add(run);
            }
        }

        return runs;
    }
}
