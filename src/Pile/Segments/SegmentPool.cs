// Hands out segments and takes them back. It knows the limit (through the budget), the cleaner's reserve and the ratio of
// resident to live bytes beyond which a writer must clean before it may grow; it never cleans by itself.
using System;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Free and absent segments of a pile. Thread-safe.</summary>
/// <param name="provider">Where their memory comes from.</param>
/// <param name="directory">All segments.</param>
/// <param name="budget">What the pile may use.</param>
/// <param name="policy">How many it keeps free.</param>
/// <param name="hugePages">Whether their memory is asked for in huge pages.</param>
/// <param name="onTake">Told when segments should be made ready, and only then: to wake a thread takes as long as to write hundreds of small records.</param>
internal sealed class SegmentPool(RegionProvider provider, SegmentDirectory directory, MemoryBudget budget, GrowthPolicy policy, bool hugePages, Action onTake)
{
    private readonly Lock _gate = new();
    private readonly FreeSegments _free = new(directory);
    private readonly AbsentSegments _absent = new(directory, provider, budget, hugePages);
    private readonly SegmentReach _reach = new(provider);
    private volatile Segment? _populating;
    private volatile bool _isLowered;

    /// <summary>Bytes of segments that are not Absent.</summary>
    internal long ResidentBytes => _absent.OthersBytes;

    /// <summary>Bytes of free segments.</summary>
    internal long FreeBytes => _free.Bytes;

    /// <summary>Segments of the size that growth would add which the free ones are as good as: several small ones, of a pile's beginning, count as one.</summary>
    internal int FreeWorth => _free.Worth(NextSegmentBytes);

    /// <summary>What was handed out and is open, or sealed since the last flush.</summary>
    internal OpenSegments Opened { get; } = new();

    /// <inheritdoc cref="OpenSegments.Sequences"/>
    internal SegmentSequences Sequences => Opened.Sequences;

    /// <summary>Size of the segment that growth would add.</summary>
    internal int NextSegmentBytes => directory.SegmentBytesFor(ResidentBytes);

    /// <inheritdoc cref="LeftSpace"/>
    internal LeftSpace Left => new(_gate, _absent, directory, provider);

    private GrownSegments Grown => new(_gate, _absent, provider, budget);

    /// <inheritdoc cref="SegmentDirectory.SegmentBytesForRecord"/>
    internal int SegmentBytesForRecord(int recordBytes) => directory.SegmentBytesForRecord(recordBytes);

    /// <summary>Bytes of the budget that writers leave: the reserve, as far as free segments do not cover it. As it will be when one more is taken: where segments
    /// double in size with it, so does the reserve.</summary>
    internal long KeepBytes => _free.LackingBytes(policy, ResidentBytes + NextSegmentBytes);

    /// <inheritdoc cref="GrowthPolicy.ReserveSegments"/>
    internal int ReserveSegments => policy.ReserveSegments(ResidentBytes, NextSegmentBytes);

    /// <summary>Whether ratio and limit are so far that a segment for each writer near its end is enough to have ready, and the cleaner's reserve need
    /// not be resident: KeepBytes leave it the budget (decision 57). Not in files, whose space takes longer to get.</summary>
    internal bool GrowsFreely => _reach.TellsEnds && !HoldsReserve
        && long.Min(policy.ResidentBytesMax(NextSegmentBytes) - ResidentBytes, budget.FreeBytes) - KeepBytes >= (long)policy.FreeSegmentsWanted * NextSegmentBytes;

    /// <summary>Whether the cleaner's reserve stays resident, because others take from the budget without leaving it.</summary>
    internal bool HoldsReserve { get; set; }

    /// <summary>Sets the limit. Where it leaves no room for the cleaner's reserve, that may pass it until it has its room again: nothing could be given back.</summary>
    internal void SetLimit(long limitBytes)
    {
        using (_gate.EnterAnyhow())
        {
            budget.LimitBytes = limitBytes;
            _isLowered = LacksReserve;
        }
    }

    /// <summary>Notes that others may have taken the room of the cleaner's reserve: as where the limit was lowered to where it is.</summary>
    internal void NoteTaken()
    {
        using (_gate.EnterAnyhow())
        {
            _isLowered |= LacksReserve;
        }
    }

    private bool LacksReserve => budget.FreeBytes < KeepBytes;

    private bool MayPass => budget.IsOver || _isLowered;

    /// <summary>Whether writers come near the end of their segments for which no other is ready.</summary>
    internal bool LacksAhead
    {
        get
        {
            using (_gate.EnterAnyhow())
            {
                return Opened.CountEnding() > _free.Ready;
            }
        }
    }

    /// <summary>Whether the segments hold more than the policy's ratio allows.</summary>
    internal bool IsOverRatio => IsOver(policy.UsedOverLive);

    /// <summary>Whether the segments hold more than a ratio allows.</summary>
    internal bool IsOver(double usedOverLive) => ResidentBytes > policy.ResidentBytesMax(NextSegmentBytes, usedOverLive);

    /// <summary>Hands a segment to a writer, leaving the cleaner its reserve.</summary>
    /// <param name="overRatio">Whether to grow beyond the policy's ratio; else the pile should be cleaned first.</param>
    /// <param name="recordBytes">Bytes of a record that must fit into it.</param>
    internal Segment? TryTake(bool overRatio, int recordBytes)
    {
        int bytesMin = SegmentBytesForRecord(recordBytes);
        long residentMaxBytes = overRatio ? long.MaxValue : policy.ResidentBytesMax(NextSegmentBytes);
        bool growsFreely = GrowsFreely;
        if (FreeWorth <= policy.FreeSegmentsWanted && !growsFreely)
        {
            onTake();
        }

        Segment? grown;
        long keepBytes;
        using (_gate.EnterAnyhow())
        {
            if (Fault.AppendedToOld && Old is { State: SegmentState.Sealed } old)
            {
                Old = null;
                Opened.GoOn(old);
                return old;
            }

            if (growsFreely && GrowsFreely)
            {
                // The budget has room for the reserve, and for as much again; also after the limit was lowered meanwhile. Who takes of it without
                // this lock must see what is left to the reserve, or be seen here (MemoryBudget.TryTakeBesideReserve).
                _free.MakeAllReady();
                Interlocked.MemoryBarrier();
            }

            if (LacksReserve)
            {
                _free.MakeNoneReady();
            }

            if (_free.TryTakeForWriter(bytesMin, ReserveSegments, NextSegmentBytes) is { } ready)
            {
                return TryOpened(ready);
            }

            // The reserve counts as if it were resident already: a cleaner that has to grow would pass the ratio at every pass.
            keepBytes = KeepBytes;
            grown = ResidentBytes + keepBytes < residentMaxBytes ? _absent.TryReserve(_free, keepBytes, bytesMin) : null;
        }

        return TryOpenGrown(Grown.Allocated(grown, keepBytes, bytesMin));
    }

    /// <summary>How far a writer stores into its segment before it asks again.</summary>
    /// <param name="segment">The writer's own.</param>
    /// <param name="bytes">Bytes from its beginning that must be ready to be stored into.</param>
    /// <returns>Bytes from its beginning that are.</returns>
    internal int Extend(Segment segment, int bytes)
    {
        int readyBytes = _reach.Extend(segment, bytes, out bool isNowEnding);
        if (isNowEnding && FreeWorth < policy.FreeSegmentsWanted && LacksAhead)
        {
            onTake();
        }

        return readyBytes;
    }

    /// <summary>A segment that was open before the recovery: with a planted fault writing goes on in it.</summary>
    internal Segment? Old { get; set; }

    /// <summary>Hands a segment of the reserve to a writer that has something to delete, where two are left to the cleaner.</summary>
    internal Segment? TryTakeToDelete(int recordBytes)
    {
        int bytesMin = SegmentBytesForRecord(recordBytes);
        Segment? grown;
        long keepBytes;
        using (_gate.EnterAnyhow())
        {
            const int Keep = RoomLimits.CleanerReserveSegments - 1;
            if (_free.TryTake(bytesMin, Keep, NextSegmentBytes) is { } free)
            {
                return TryOpened(free);
            }

            // Beyond a lowered limit too: what is deleted gives more back.
            keepBytes = (long)int.Max(0, Keep - _free.Worth(NextSegmentBytes)) * NextSegmentBytes;
            grown = _absent.TryReserve(_free, keepBytes, bytesMin, MayPass);
        }

        // And of what growth leaves free on the device.
        return TryOpenGrown(Grown.Allocated(grown, keepBytes, bytesMin, MayPass, isForCleaner: grown is not null && provider.HasRoomToDelete(grown.Bytes)));
    }

    /// <summary>Hands a segment to the cleaner, from the reserve if need be.</summary>
    /// <param name="mayPass">Whether a segment beyond a limit that was lowered may be taken: without one nothing could be given back.</param>
    internal Segment? TryTakeForCleaner(bool mayPass)
    {
        Segment? grown;
        using (_gate.EnterAnyhow())
        {
            if (_free.TryTake(bytesMin: 0) is { } free)
            {
                return TryOpened(free);
            }

            grown = _absent.TryReserve(_free, keepBytes: 0, mayPass: mayPass && MayPass);
        }

        return TryOpenGrown(Grown.Allocated(grown, keepBytes: 0, bytesMin: 0, mayPass && MayPass, isForCleaner: true));
    }

    /// <summary>Free segments less everything in use: rises with what cleaning gains, whether or not it was given back.</summary>
    internal long RoomBytes => FreeBytes - budget.UsedBytes;

    /// <summary>Bytes of the segments that the cleaner could take now.</summary>
    /// <param name="mayPass">As for <see cref="TryTakeForCleaner"/>.</param>
    internal long AvailableForCleaner(bool mayPass)
    {
        using (_gate.EnterAnyhow())
        {
            _isLowered = _isLowered && LacksReserve;
        }

        int segmentBytes = NextSegmentBytes;
        return FreeBytes + (long.Max(mayPass && MayPass ? 1 : 0, budget.FreeBytes / segmentBytes) * segmentBytes);
    }

    /// <summary>Makes one more segment resident ahead of its use, by the calling thread, which is the only one that does so.</summary>
    /// <param name="isForWriters">Whether it is not to count as the cleaner's reserve: then a writer may take it at once, and stores beside what comes.</param>
    /// <returns>False when the ratio or the limit forbids it.</returns>
    internal bool TryPopulateAhead(bool isForWriters = false)
    {
        Segment? grown;
        long residentMaxBytes = policy.ResidentBytesMax(NextSegmentBytes);
        using (_gate.EnterAnyhow())
        {
            grown = ResidentBytes + KeepBytes + NextSegmentBytes <= residentMaxBytes ? _absent.TryReserve(_free, KeepBytes + NextSegmentBytes) : null;
        }

        if (grown is null || !Grown.TryAllocate(grown, isForCleaner: false))
        {
            return false;
        }

        _populating = grown;
        using (_gate.EnterAnyhow())
        {
            _free.Coming = isForWriters ? grown : null;
        }

        try
        {
            _ = provider.TryPopulate(grown.Region, grown.RegionOffset, grown.Bytes);
        }
        finally
        {
            using (_gate.EnterAnyhow())
            {
                if (!isForWriters || _free.Coming == grown)
                {
                    _free.Coming = null;
                    FreeLocked(grown, isForWriters);
                }
            }

            _populating = null;
        }

        return true;
    }

    /// <summary>Takes back a segment that nothing refers to any more.</summary>
    internal void Free(Segment segment)
    {
        using (_gate.EnterAnyhow())
        {
            FreeLocked(segment, isForWriters: false);
        }
    }

    private void FreeLocked(Segment segment, bool isForWriters)
    {
        Opened.NoteFreed(segment);
        segment.WrittenBytes = 0;
        segment.State = SegmentState.Free;
        Fault.Stop(StopPoint.SegmentFreed);
        _free.Add(segment, isForWriters);
    }

    /// <summary>Returns the highest free segment's memory to the operating system, unless no more than
    /// <paramref name="keepFree"/> are free.</summary>
    internal bool TryGiveBack(int keepFree)
    {
        Segment segment;
        using (_gate.EnterAnyhow())
        {
            if (_free.Count <= keepFree)
            {
                return false;
            }

            segment = _free.TakeHighest();
        }

        // A writer took it while it was made ready, and it is free already: what still comes would come behind what goes.
        for (var spin = default(SpinWait); _populating == segment; spin.SpinAnyhow())
        {
        }

        // Out of both sets while its pages go: nobody else can take it.
        bool isGivenBack = false;
        try
        {
            segment.KeepsSpace = true;
            isGivenBack = _absent.TryReturn(segment, segment);
        }
        finally
        {
            if (!isGivenBack)
            {
                Free(segment);
            }
        }

        if (isGivenBack)
        {
            Fault.Stop(StopPoint.SegmentPunched);
            Grown.MakeAbsent(segment);
        }

        return isGivenBack;
    }

    private Segment? TryOpenGrown(Segment? grown)
    {
        if (grown is null)
        {
            return null;
        }

        using (_gate.EnterAnyhow())
        {
            return TryOpened(grown);
        }
    }

    /// <summary>Opens a segment that is in no set.</summary>
    /// <returns>Null when no sequence number can be drawn, because the files failed; the segment is free then.</returns>
    private Segment? TryOpened(Segment segment)
    {
        bool isOpen = false;
        try
        {
            isOpen = Opened.TryOpen(segment);
        }
        finally
        {
            if (!isOpen)
            {
                FreeLocked(segment, isForWriters: false);
            }
        }

        return isOpen ? segment : null;
    }

    /// <summary>Takes back the segments of a pile that was opened again, by the states that the directory's segments have.</summary>
    /// <param name="sequence">The last sequence number that may have been drawn.</param>
    /// <param name="sequenceMax">The last that may be drawn without asking.</param>
    /// <returns>False when the limit has no room for what is there.</returns>
    internal bool TryRestore(long sequence, long sequenceMax)
    {
        using (_gate.EnterAnyhow())
        {
            Sequences.Restore(sequence, sequenceMax);
            _free.Restore();
            return _absent.TryRestore();
        }
    }
}
