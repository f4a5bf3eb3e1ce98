// One call's memory of its attempts to find room.
// It lives on the caller's stack and decides nothing: RoomMaker reads it, so that no call waits or grows without bound.
using System;
using System.Threading;
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>State of a call that starts again.</summary>
internal struct RoomAttempt
{
    private SpinWait _spin;
    private GainWatch _gain;
    private long _started;
    private long _flush;
    private bool _begun;

    /// <summary>Whether the call takes room in the log only to free more than that.</summary>
    internal bool IsToDelete { get; init; }

    /// <summary>Cleaning yields nothing: the pile may grow beyond its ratio, up to the limit.</summary>
    internal bool OverRatio { get; set; }

    /// <summary>Times that the budget had what was missing and the call failed all the same: to others, or for want of something
    /// that is no budget, such as slots or address space.</summary>
    internal int BudgetTries { get; set; }

    /// <summary>Whether cleaning gained no room, where records may be evicted: another pass would move those to where nothing can be evicted before the next flush.</summary>
    internal bool HasCleanedInVain { get; set; }

    /// <summary>Whether what has ended was removed, as far as only its owner can.</summary>
    internal bool HasExpired { get; set; }

    /// <summary>Whether open segments were sealed, so that what stands in them may be evicted.</summary>
    internal bool HasSealed { get; set; }

    /// <summary>Whether a record that refers to the call's run of pages may be published: from then on the run is not given back, whatever is thrown.</summary>
    internal bool IsRunUsed { get; set; }

    /// <summary>Notes the first attempt's time.</summary>
    /// <returns>True when this is the first.</returns>
    internal bool Begin(TimeProvider time)
    {
        if (_begun)
        {
            return false;
        }

        _started = time.GetTimestamp();
        return _begun = true;
    }

    /// <summary>Lets the call's time begin anew: what it waited for was not room.</summary>
    internal void Restart() => _begun = false;

    /// <summary>Time since the first attempt.</summary>
    internal readonly TimeSpan Elapsed(TimeProvider time) => time.GetElapsedTime(_started);

    /// <inheritdoc cref="GainWatch.IsWorth"/>
    internal bool IsWorth(long roomBytes) => _gain.IsWorth(roomBytes);

    /// <summary>Whether the flush has yet to end that follows the first time this was asked, or the last time that another was meant. It is asked for.</summary>
    internal bool AwaitsFlush(FlushClock flushes, bool another)
    {
        _flush = _flush > 0 && !another ? _flush : flushes.Next;
        flushes.Ask(_flush);
        return !flushes.HasCovered(_flush);
    }

    /// <summary>Gives way to others.</summary>
    internal void Spin() => _spin.SpinOnce();
}
