// Whether entries may be served, by what the watch has told last: until one moment, which the watch moves on. Time alone shuts the gate: nothing has
// to run for that. Long before the moment a look at the coarse clock says so; near it, and behind it, the exact one does.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Near;

/// <summary>The bound of a near table. Written by its watch alone, read by all; a late reader of the number is on the safe side, since it only grows
/// while the gate is open.</summary>
internal sealed class NearGate(TimeProvider time, TimeSpan stalenessMax)
{
    private readonly CoarseClock _coarse = new(time);
    private readonly long _bound = (long)(stalenessMax.TotalSeconds * time.TimestampFrequency);
    private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _servedUntil = long.MinValue;
    private long _surelyUntilMs = long.MinValue;

    /// <summary>Whether what is kept is no older than the bound.</summary>
    internal bool IsOpen
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _coarse.NowMs < Volatile.Read(ref _surelyUntilMs) || IsOpenByTheTick();
    }

    /// <summary>Done once the gate was opened for the first time.</summary>
    internal Task Opened => _opened.Task;

    /// <summary>How old what is kept can be, or null while the gate is shut.</summary>
    internal TimeSpan? Staleness
    {
        get
        {
            long until = Volatile.Read(ref _servedUntil);
            long now = time.GetTimestamp();
            return now < until ? time.GetElapsedTime(until - _bound, now) : null;
        }
    }

    /// <summary>Every change that was acknowledged until a moment is known.</summary>
    internal void Told(long moment)
    {
        // The coarse clock first: what passes between the two looks is taken off.
        long coarseMs = _coarse.NowMs;
        long now = time.GetTimestamp();
        long until = long.Min(moment, now) + _bound;
        Volatile.Write(ref _servedUntil, until);
        long leftMs = until > now ? (long)time.GetElapsedTime(now, until).TotalMilliseconds : 0;
        Volatile.Write(ref _surelyUntilMs, coarseMs + leftMs - ClientLimits.CoarseClockLagMaxMs);
        _ = _opened.TrySetResult();
    }

    internal void Shut()
    {
        Volatile.Write(ref _surelyUntilMs, long.MinValue);
        Volatile.Write(ref _servedUntil, long.MinValue);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsOpenByTheTick() => time.GetTimestamp() < Volatile.Read(ref _servedUntil);
}
