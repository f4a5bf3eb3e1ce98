// One call's memory of its attempts to find room.
using System;
using System.Threading;

namespace Pile.Cleaning;

/// <summary>State of a call that starts again.</summary>
internal struct RoomAttempt
{
    private SpinWait _spin;
    private long _started;

    /// <summary>Cleaning yields nothing: the pile may grow beyond its ratio, up to the limit.</summary>
    internal bool OverRatio { get; set; }

    /// <summary>How often budget was freed for this call.</summary>
    internal int BudgetTries { get; set; }

    /// <summary>Notes the first attempt's time.</summary>
    internal void Begin(TimeProvider time) => _started = _started == 0 ? time.GetTimestamp() : _started;

    /// <summary>Time since the first attempt.</summary>
    internal readonly TimeSpan Elapsed(TimeProvider time) => time.GetElapsedTime(_started);

    /// <summary>Gives way to others.</summary>
    internal void Spin() => _spin.SpinOnce();
}
