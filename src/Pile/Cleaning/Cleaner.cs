// The cleaner: chooses the emptiest sealed segments, has what lives moved out of them (Relocator), retires them.
// One holder of the role at a time (the background thread, a writer without room, Compact); it owns reserved segments, so
// that it can always move survivors before it frees anything (log-structured memory, Rumble et al., FAST 2014).
using System.Threading;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>Cleans one pile. Everything but the role itself and the counts needs the role held.</summary>
internal sealed class Cleaner<TFormat>(
    SegmentDirectory directory,
    SegmentPool pool,
    WriterSet<TFormat> writers,
    RetiredSegments<TFormat> retired,
    IRecordOwner tableOwner,
    LogContext log)
    where TFormat : struct, IRecordFormat
{
    private readonly Lock _role = new();
    private readonly Victims _victims = new();
    private readonly Relocator<TFormat> _relocator = new(directory.Space, pool, writers, tableOwner, log.Identity);

    // The last flush that a segment which this pass would have taken waits for; 0 for none.
    private long _unflushed;
    private long _passes;
    private bool _isOutOfVictims;

    /// <summary>Passes that moved or freed something.</summary>
    internal long Passes => Volatile.Read(ref _passes);

    /// <summary>Bytes of survivors copied.</summary>
    internal long MovedBytes => _relocator.MovedBytes;

    /// <summary>The owner of keyed records, or null. Set once, before the first of them is stored.</summary>
    internal IKeyedOwner? Keyed
    {
        get => _relocator.Keyed;
        set => _relocator.Keyed = value;
    }

    /// <summary>Whether records could be forgotten to make room.</summary>
    internal bool CanEvict => Keyed is { CanEvict: true };

    /// <summary>Bytes of records that their owner forgot when the cleaner met them: expired or evicted.</summary>
    internal long DroppedBytes => _relocator.DroppedBytes;

    /// <summary>Records copied.</summary>
    internal long MovedRecords => _relocator.MovedRecords;

    /// <summary>A measure of the room there is, for <see cref="GainWatch"/>. With the role held.</summary>
    internal long RoomBytes => pool.RoomBytes + writers.Survivors.FreeBytes + retired.Bytes;

    /// <summary>Tries to take the role.</summary>
    internal bool TryEnterRole()
    {
        if (!_role.TryEnter())
        {
            return false;
        }

        LockOrder.Enter(LockRank.CleanerRole);
        return true;
    }

    /// <summary>Takes the role, waiting for its holder.</summary>
    internal void EnterRole()
    {
        LockOrder.Enter(LockRank.CleanerRole);
        try
        {
            _role.Enter();
        }
        catch
        {
            // Interrupted.
            LockOrder.Exit(LockRank.CleanerRole);
            throw;
        }
    }

    /// <summary>Gives the role back.</summary>
    internal void ExitRole()
    {
        LockOrder.Exit(LockRank.CleanerRole);
        _role.Exit();
    }

    /// <summary>One pass: reclaim, choose, move, retire, reclaim again.</summary>
    /// <param name="wantedSegments">Segments' worth of bytes to gain, as far as one pass goes.</param>
    /// <param name="utilisationMax">Segments fuller than this are left alone.</param>
    /// <param name="waitMs">How long to wait for the readers of what was retired; 0 looks once.</param>
    internal CleanOutcome Pass(int wantedSegments, double utilisationMax, int waitMs)
    {
        int freed = retired.Reclaim();
        Choose(wantedSegments, utilisationMax);
        return Run(freed, waitMs, isEvicting: false);
    }

    /// <summary>One pass that forgets records which are still good, as their owner chooses.</summary>
    /// <param name="waitMs">How long to wait for the readers of what was retired; 0 looks once.</param>
    internal CleanOutcome Evict(int waitMs)
    {
        int freed = retired.Reclaim();
        _victims.Clear();
        _unflushed = 0;
        if (Keyed is { } keyed)
        {
            keyed.OfferEvictions(_victims, RoomForSurvivors);
            if (_victims.Count == 0 && _unflushed == 0 && TrySealSurvivors())
            {
                keyed.OfferEvictions(_victims, RoomForSurvivors);
            }

            Volatile.Write(ref _isOutOfVictims, _victims.Count == 0 && _unflushed == 0 && !IsWaiting);
        }

        return Run(freed, waitMs, isEvicting: true);
    }

    /// <summary>Seals the open segments in which records stand that may be evicted, where the last pass to evict found no sealed one that has some or waits
    /// for anything: the few records of large values may all stand in open ones. Called without the role and without a writer.</summary>
    /// <returns>Whether there was one.</returns>
    internal bool TrySealToEvict()
    {
        if (!Volatile.Read(ref _isOutOfVictims) || !CanEvict)
        {
            return false;
        }

        Volatile.Write(ref _isOutOfVictims, false);
        return writers.TrySeal(Keyed!.MayEvictFrom);
    }

    /// <summary>Seals the open segment of survivors, if records stand in it that may be evicted. With the role held.</summary>
    internal bool TrySealSurvivors()
    {
        bool holdsSome = writers.Survivors.Open is { } open && Keyed!.MayEvictFrom(open);
        if (holdsSome)
        {
            writers.Survivors.Seal();
        }

        return holdsSome;
    }

    /// <summary>Whether a segment may be a victim (S1): sealed, counted, not pinned, without damage to a live record, and flushed where the pile waits for flushes.
    /// Asked of one that only waits for a flush, that flush is asked for. With the role held.</summary>
    internal bool MayClean(Segment segment)
    {
        if (segment.State != SegmentState.Sealed || segment.Sequence <= pool.Sequences.Uncounted || (segment.Pins > 0 && !Fault.PinsIgnored) || _relocator.HoldsDamage(segment))
        {
            return false;
        }

        bool isFlushed = log.Flushes.HasCovered(segment.NeededFlush);
        _unflushed = isFlushed ? _unflushed : long.Max(_unflushed, segment.NeededFlush);
        return isFlushed;
    }

    /// <summary>Whether a flush is all that a segment waits for before it may be a victim.</summary>
    internal bool IsUnflushed(Segment segment) => segment.State == SegmentState.Sealed && segment.Pins == 0 && !log.Flushes.HasCovered(segment.NeededFlush);

    /// <summary>Frees what was retired before and is past its epoch.</summary>
    internal int Reclaim() => retired.Reclaim();

    /// <summary>Whether what is sealed or freed waits for a flush before it is used again.</summary>
    internal bool WaitsForFlushes => log.Flushes.IsWaitedFor;

    /// <summary>Asks for a flush, where what was freed waits for one. While one runs it may be that; who still waits when it has ended asks again.</summary>
    internal void AskForFlush()
    {
        if (!log.Flushes.IsRunning)
        {
            log.Flushes.Ask(log.Flushes.Next);
        }
    }

    /// <summary>Bytes of segments that wait for readers or a flush.</summary>
    internal long AwaitedBytes => retired.AwaitedBytes;

    /// <summary>The flushes for which what was freed may wait.</summary>
    internal FlushClock Flushes => log.Flushes;

    /// <summary>Whether segments wait for readers to leave, or a flush.</summary>
    internal bool IsWaiting => AwaitedBytes > 0;

    /// <summary>Whether segments wait for a pin.</summary>
    internal bool HoldsPinned => retired.Pinned > 0;

    /// <summary>Bytes that survivors may take. While readers hold the old records back, each copy takes memory instead of gaining it: a
    /// pass's worth may wait. Beyond a limit that was lowered it is a segment, and only while nothing waits to be freed.</summary>
    private long RoomForSurvivors
    {
        get
        {
            long room = pool.AvailableForCleaner(mayPass: !IsWaiting) + writers.Survivors.FreeBytes;
            return long.Min(room, ((long)RoomLimits.CleanerVictimsMax * pool.NextSegmentBytes) - retired.CopiedBytes);
        }
    }

    /// <summary>Moves what lives out of the chosen victims, and retires them.</summary>
    private CleanOutcome Run(int freed, int waitMs, bool isEvicting)
    {
        if (_victims.Count == 0)
        {
            log.Flushes.Ask(_unflushed);
            freed += retired.WaitPassed(waitMs) ? retired.Reclaim() : 0;
            return freed > 0 ? CleanOutcome.Progress : IsWaiting || _unflushed > 0 ? CleanOutcome.Blocked : CleanOutcome.NothingWorth;
        }

        long dropped = DroppedBytes;
        int moved = RelocateAll(isEvicting);

        if (moved == 0)
        {
            // No segment could be emptied: enough was forgotten before its end, or the room for survivors waits for readers, or there is none at all.
            freed += retired.WaitPassed(waitMs) ? retired.Reclaim() : 0;
            _victims.Clear();
            return freed > 0 || DroppedBytes != dropped ? CleanOutcome.Progress : IsWaiting ? CleanOutcome.Blocked : CleanOutcome.NothingWorth;
        }

        Volatile.Write(ref _passes, _passes + 1);
        Fault.Stop(StopPoint.VictimsMoved);
        retired.Add(_victims, moved);
        Fault.Stop(StopPoint.SegmentRetired);
        _victims.Clear();
        _ = retired.WaitPassed(waitMs);
        freed += retired.Reclaim();
        return freed > 0 ? CleanOutcome.Progress : CleanOutcome.Blocked;
    }

    private void Choose(int wantedSegments, double utilisationMax)
    {
        _victims.Clear();
        _unflushed = 0;
        long sequence = pool.Sequences.Last;
        int count = directory.Count;
        for (int index = 0; index < count; index++)
        {
            Segment segment = directory[index];
            if (segment.State != SegmentState.Sealed)
            {
                continue;
            }

            // First whether it is worth it: no flush is asked for, nor waited for, for the sake of others.
            int live = segment.WrittenBytes - writers.DeadOf(index);
            if (live <= segment.FillableBytes * utilisationMax && MayClean(segment))
            {
                _victims.Offer(segment, live, sequence - segment.Sequence);
            }
        }

        _victims.Fit(RoomForSurvivors, wantedSegments * (long)pool.NextSegmentBytes);
    }

    /// <summary>Moves what lives out of the victims, in order, until the room for survivors ends.</summary>
    /// <returns>Victims that hold nothing live any more; they stand first.</returns>
    private int RelocateAll(bool isEvicting)
    {
        int moved = 0;
        for (int index = 0; index < _victims.Count; index++)
        {
            Segment victim = _victims[index];
            VictimFate fate = _relocator.Relocate(victim, isEvicting, mayPass: !IsWaiting);
            if (fate == VictimFate.Emptied)
            {
                _victims.Keep(moved++, index);
            }
            else if (fate == VictimFate.Unreadable)
            {
                retired.Quarantine(victim);
            }
            else if (!_relocator.HoldsDamage(victim))
            {
                break;
            }
        }

        return moved;
    }
}
