// Large objects: runs of OS pages in extents of their own, never moved, freed whole, reached only through the descriptor
// record in the log. A freed run waits for the epoch and for its pins; some freed pages stay resident for the next.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Epochs;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Allocator of page runs. Thread-safe; one lock, held for no copy and no system call but giving back.</summary>
internal sealed class LargeRuns(ExtentMap extents, RegionProvider provider, MemoryBudget budget, EpochDomain epochs, FlushClock flushes)
{
    // As bytes to leave below the limit: what stands in the files is counted above it too, should it have been lowered.
    private const long AboveLimit = -2 * Limits.FlatSpaceBytesMax;

    private readonly Lock _gate = new();
    private readonly List<LargeExtent> _extents = [];
    private readonly RetiredRuns _retired = new(flushes);
    private long _usedBytes;
    private long _freeResidentBytes;
    private long _awaited;
    private long _patientAtBytes;
    private long _unpublishedBytes;
    private long _freedBytes; // by the last flush that freed any
    private long _objects;

    /// <summary>Bytes of runs that are in use or wait for their epoch.</summary>
    internal long UsedBytes => Volatile.Read(ref _usedBytes);

    /// <summary>Bytes of free pages still resident.</summary>
    internal long FreeResidentBytes => Volatile.Read(ref _freeResidentBytes);

    /// <summary>Bytes of runs that wait for their epoch, for a flush or for pins.</summary>
    internal long RetiredBytes => _retired.Bytes;

    /// <inheritdoc cref="RetiredRuns.AwaitedBytes"/>
    internal long AwaitedBytes => _retired.AwaitedBytes;

    /// <inheritdoc cref="RetiredRuns.AskForFlush"/>
    internal void AskForFlush() => _retired.AskForFlush();

    /// <inheritdoc cref="RegionProvider.IsLow"/>
    internal bool IsDeviceLow => provider.IsLow;

    /// <summary>Runs in use.</summary>
    internal long Objects => Volatile.Read(ref _objects);

    /// <summary>Whether enough waits for its epoch to be worth a barrier; not what waits for a pin or a flush, which no barrier ends.</summary>
    internal bool ShouldReclaim => RetiredBytes - _retired.HeldBytes > LargeThresholds.ReclaimAtBytes(budget.LimitBytes, UsedBytes) && !AwaitsCount;

    /// <summary>The flush that must complete before free pages are used, which a killed process may have freed; 0: none. Set at open.</summary>
    internal long NeededFlush { get; set; }

    /// <summary>Whether runs of before an open may come yet: until all are known, and none found to overlap, nothing that was retired is freed.</summary>
    internal bool AwaitsCount { get; set; }

    /// <summary>Bytes a run for a payload takes.</summary>
    internal static long RunBytes(int payloadBytes) => Align.Up((long)payloadBytes, Limits.OsPageBytes);

    /// <summary>Takes a run, leaving the cleaner its reserve.</summary>
    /// <param name="payloadBytes">Bytes it must hold.</param>
    /// <param name="location">Its first location.</param>
    /// <returns>False when the limit, or the device, leaves no room.</returns>
    internal bool TryTake(int payloadBytes, out long location)
    {
        int pages = (int)(RunBytes(payloadBytes) / Limits.OsPageBytes);
        using (_gate.EnterAnyhow())
        {
            // One extent may want pages that the budget does not have where the next has them still resident.
            location = 0;
            bool isFound = false;
            foreach (LargeExtent extent in _extents)
            {
                int first = extent.FindFree(pages);
                isFound |= first >= 0;
                if (first >= 0 && TryUseLocked(extent, first, pages, isRestored: false, out location))
                {
                    return true;
                }
            }

            // Where there was a place and no space for its pages, a new extent finds none either, and takes address space and a file for good.
            LargeExtent? added = !isFound && budget.FreeBytes >= ((long)pages * Limits.OsPageBytes) + budget.ReserveBytes() ? TryAddExtentLocked(pages) : null;
            return added is not null && TryUseLocked(added, 0, pages, isRestored: false, out location);
        }
    }

    /// <summary>Notes that a run's bytes were stored, so that the next flush covers them. Before an entry refers to it.</summary>
    internal void NoteWritten(long location)
    {
        using (_gate.EnterAnyhow())
        {
            provider.MarkDirty((LargeExtent.Find(_extents, location, payloadBytes: 1, out _, out _) ?? throw Throw.NoSuchRun(location)).Region);
        }
    }

    /// <summary>Notes that an entry refers to a run now. Caller: the holder of the writer that published it.</summary>
    internal void NotePublished(int payloadBytes)
    {
        using (_gate.EnterAnyhow())
        {
            _unpublishedBytes -= RunBytes(payloadBytes);
        }
    }

    /// <summary>Gives back a run that no entry ever referred to.</summary>
    internal void Free(long location, int payloadBytes)
    {
        using (_gate.EnterAnyhow())
        {
            _unpublishedBytes -= RunBytes(payloadBytes);
            FreeLocked(location, (int)(RunBytes(payloadBytes) / Limits.OsPageBytes));
        }

        TrimToKept();
    }

    /// <summary>Hands over a run whose entry was just swung away: freed once the present epoch has passed.</summary>
    internal void Retire(long location, int payloadBytes)
    {
        using (_gate.EnterAnyhow())
        {
            // The tag is read after the swing: whoever enters in a later epoch can't find the run any more.
            _retired.Add(location, (int)(RunBytes(payloadBytes) / Limits.OsPageBytes), epochs.Epoch);
        }
    }

    /// <summary>Frees what waits and is past its epoch. Not called inside an epoch of this pile.</summary>
    /// <param name="waitMs">How long to wait for readers; 0 looks once.</param>
    /// <returns>Bytes freed.</returns>
    internal long Reclaim(int waitMs)
    {
        if (RetiredBytes == 0)
        {
            // Nothing is updated any more: nothing is kept for it.
            Volatile.Write(ref _freedBytes, 0);
            TrimToKept();
            return 0;
        }

        // An epoch once begun is waited for until it has passed, over as many calls as that takes: where readers come and go
        // all the time, there is always somebody inside at the moment a new one begins. What was retired since waits for another.
        bool isBegun = Volatile.Read(ref _awaited) != 0;
        long freed = ReclaimEpoch(waitMs);
        return freed > 0 && isBegun ? freed + ReclaimEpoch(waitMs) : freed;
    }

    /// <summary>Frees what waits on behalf of a writer. Where readers let more and more of it gather, each further part of it
    /// costs the writer some patience, so that they get their turn.</summary>
    internal void ReclaimForWriter()
    {
        bool isPatient = RetiredBytes >= long.Max(LargeThresholds.PatientBytes(budget.LimitBytes), Volatile.Read(ref _patientAtBytes));
        if (ReclaimEpoch(isPatient ? RoomLimits.ReadersWaitMs : 0) > 0)
        {
            Volatile.Write(ref _patientAtBytes, 0);
        }
        else if (isPatient)
        {
            // Any thread; a lost race waits a little more or less.
            Volatile.Write(ref _patientAtBytes, RetiredBytes + LargeThresholds.ReclaimAtBytes(budget.LimitBytes, UsedBytes));
        }
    }

    /// <summary>Returns resident free pages to the operating system until no more than <paramref name="keepBytes"/> are left.</summary>
    internal void Trim(long keepBytes)
    {
        // One run at a time: a device may take its time for each, and who takes, frees or pins another run waits for the lock.
        FreeRunWalk walk = default;
        while (FreeResidentBytes > keepBytes)
        {
            using (_gate.EnterAnyhow())
            {
                if (!walk.TryNext(_extents, _freeResidentBytes - keepBytes, out LargeExtent? extent, out int first, out int pages))
                {
                    return;
                }

                DropLocked(extent, first, pages);
            }
        }
    }

    /// <summary>Returns what a process before this one freed and did not return: nothing counts it here, and the device has it still.</summary>
    internal void TrimLeft()
    {
        for (int index = 0; index < _extents.Count; index++)
        {
            (int first, int pages) = (0, 0);
            do
            {
                using (_gate.EnterAnyhow())
                {
                    (first, pages) = _extents[index].NextFree(first + pages, isResident: false);
                    _ = pages > 0 && provider.TryGiveBack(_extents[index].Region, (long)first * Limits.OsPageBytes, (long)pages * Limits.OsPageBytes);
                }
            }
            while (pages > 0);
        }
    }

    /// <summary>Adds a pin to a run. Inside the epoch in which an entry referred to it.</summary>
    internal void Pin(long location)
    {
        using (_gate.EnterAnyhow())
        {
            _retired.Pins.Add(location);
        }
    }

    /// <summary>Removes a pin.</summary>
    internal void Unpin(long location)
    {
        using (_gate.EnterAnyhow())
        {
            _retired.Pins.Remove(location);
        }
    }

    /// <summary>Runs something while no run can be taken, freed or given back. For Verify.</summary>
    internal void WhileStill(Action look)
    {
        using (_gate.EnterAnyhow())
        {
            look();
        }
    }

    /// <summary>Used and resident bytes by counting pages, and the bytes of runs that no entry refers to: those that wait for
    /// their epoch and those not published yet. For Verify, with writers excluded.</summary>
    internal (long UsedBytes, long ResidentBytes, long UnreferencedBytes) Recount()
    {
        using (_gate.EnterAnyhow())
        {
            return (
                _extents.Sum(static extent => (long)extent.UsedPages) * Limits.OsPageBytes,
                _extents.Sum(static extent => (long)extent.CountResident()) * Limits.OsPageBytes,
                _retired.Bytes + _unpublishedBytes);
        }
    }

    /// <summary>Whether a stretch for a payload is in use as a run. For Verify, and before a run is retired whose descriptor was in files.</summary>
    internal bool IsRun(long location, int payloadBytes)
    {
        using (_gate.EnterAnyhow())
        {
            return LargeExtent.Find(_extents, location, payloadBytes, out int first, out int pages) is { } extent && extent.IsUsed(first, pages);
        }
    }

    /// <summary>One epoch's part of <see cref="Reclaim"/>.</summary>
    private long ReclaimEpoch(int waitMs)
    {
        if (RetiredBytes == 0 || AwaitsCount)
        {
            return 0;
        }

        long epoch;
        long freed;
        using (_gate.EnterAnyhow())
        {
            epoch = _awaited == 0 ? _awaited = epochs.Advance() : _awaited;
        }

        if (!epochs.WaitPassed(epoch, waitMs) && !Fault.ReuseEarly)
        {
            return 0;
        }

        using (_gate.EnterAnyhow())
        {
            _awaited = _awaited == epoch ? 0 : _awaited;
            freed = _retired.Bytes;
            for (int count = _retired.Part(epoch); count > 0; count--)
            {
                (long location, int pages) = _retired.Take();
                FreeLocked(location, pages);
            }

            freed -= _retired.Bytes;
            Volatile.Write(ref _freedBytes, freed > 0 && flushes.IsWaitedFor ? freed : _freedBytes);
        }

        TrimToKept();
        return freed;
    }

    /// <summary>Returns what is free beyond what is kept for the next runs.</summary>
    private void TrimToKept() => Trim(LargeThresholds.FreeBytesKept(budget.LimitBytes, UsedBytes, Volatile.Read(ref _freedBytes)));

    private bool TryUseLocked(LargeExtent extent, int first, int pages, bool isRestored, out long location)
    {
        location = 0;
        _retired.Reserve(_objects + 1); // Now, because it may throw: whoever retires a run has swung its entry away.
        long absentBytes = (long)extent.CountAbsent(first, pages) * Limits.OsPageBytes;
        if (absentBytes > 0 && !(isRestored ? budget.TryTake(absentBytes, AboveLimit) : budget.TryTakeBesideReserve(absentBytes)))
        {
            return false;
        }

        using var taken = new BudgetTake(budget, absentBytes);
        if (absentBytes > 0 && !isRestored && !provider.TryAllocate(extent.Region, (long)first * Limits.OsPageBytes, (long)pages * Limits.OsPageBytes))
        {
            return false;
        }

        taken.Keep();
        extent.Use(first, pages);
        Volatile.Write(ref _freeResidentBytes, _freeResidentBytes - (((long)pages * Limits.OsPageBytes) - absentBytes));
        Volatile.Write(ref _usedBytes, _usedBytes + ((long)pages * Limits.OsPageBytes));
        Volatile.Write(ref _objects, _objects + 1);
        _unpublishedBytes += (long)pages * Limits.OsPageBytes;
        location = extent.Location + ((long)first * Limits.OsPageBytes / Limits.WordBytes);
        return true;
    }

    /// <summary>Takes back an extent of a pile that was opened again; its runs follow by <see cref="TryRestoreRun"/>.</summary>
    internal void RestoreExtent(int extent, in Region region)
    {
        using (_gate.EnterAnyhow())
        {
            _extents.Add(new LargeExtent(ExtentMap.FirstLocation(extent), region));
        }
    }

    /// <summary>Leaves all extents as they are: entries that were lost may refer to any page that seems free.</summary>
    internal void DisputeAll()
    {
        using (_gate.EnterAnyhow())
        {
            _extents.ForEach(static extent => extent.IsDisputed = true);
        }
    }

    /// <summary>Takes back a run of a pile that was opened again: an entry refers to it.</summary>
    /// <returns>False when it lies outside the extents, or overlaps another.</returns>
    internal bool TryRestoreRun(long location, int payloadBytes)
    {
        using (_gate.EnterAnyhow())
        {
            if (LargeExtent.Find(_extents, location, payloadBytes, out int first, out int pages) is not { } extent)
            {
                return false;
            }

            bool isFree = extent.IsFree(first, pages);
            extent.IsDisputed |= !isFree;
            bool isUsed = isFree && TryUseLocked(extent, first, pages, isRestored: true, out _);
            _unpublishedBytes -= isUsed ? RunBytes(payloadBytes) : 0;
            budget.NoteFound(isUsed ? RunBytes(payloadBytes) : 0);
            return isUsed;
        }
    }

    private LargeExtent? TryAddExtentLocked(int pages)
    {
        int rows = (int)(Align.Up((long)pages * Limits.OsPageBytes, Limits.ExtentBytes) / Limits.ExtentBytes);
        int row = extents.TryMap(rows, 0, Limits.ExtentShiftWords, out Region region);
        if (row == 0)
        {
            return null;
        }

        var extent = new LargeExtent(ExtentMap.FirstLocation(row), region);
        _extents.Add(extent);
        return extent;
    }

    private void FreeLocked(long location, int pages)
    {
        LargeExtent extent = LargeExtent.Find(_extents, location, payloadBytes: 1, out int first, out _) ?? throw Throw.NoSuchRun(location);
        long bytes = (long)pages * Limits.OsPageBytes;
        Volatile.Write(ref _objects, _objects - 1);
        if (extent.IsDisputed)
        {
            _unpublishedBytes += bytes;
            return;
        }

        extent.Unuse(first, pages);
        Volatile.Write(ref _usedBytes, _usedBytes - bytes);
        Volatile.Write(ref _freeResidentBytes, _freeResidentBytes + bytes);
    }

    private void DropLocked(LargeExtent extent, int first, int pages)
    {
        long bytes = (long)pages * Limits.OsPageBytes;
        if (provider.TryGiveBack(extent.Region, (long)first * Limits.OsPageBytes, bytes))
        {
            Fault.Stop(StopPoint.RunPunched);
            extent.Drop(first, pages);
            Volatile.Write(ref _freeResidentBytes, _freeResidentBytes - bytes);
            budget.GiveBack(bytes);
        }
    }
}
