// Whether entries may be served, by what the watch has told last. One number: the moment from which on they may not. The watch moves it on, time
// alone shuts the gate: nothing has to run for that.
using System;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Near;

/// <summary>The bound of a near table. Written by its watch alone, read by all; a late reader of the number is on the safe side, since it only grows
/// while the gate is open.</summary>
internal sealed class NearGate(TimeProvider time, TimeSpan stalenessMax)
{
    private readonly long _bound = (long)(stalenessMax.TotalSeconds * time.TimestampFrequency);
    private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _servedUntil = long.MinValue;

    /// <summary>Whether what is kept is no older than the bound.</summary>
    internal bool IsOpen => time.GetTimestamp() < Volatile.Read(ref _servedUntil);

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
        Volatile.Write(ref _servedUntil, long.Min(moment, time.GetTimestamp()) + _bound);
        _ = _opened.TrySetResult();
    }

    internal void Shut() => Volatile.Write(ref _servedUntil, long.MinValue);
}
