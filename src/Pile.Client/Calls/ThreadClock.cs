// A clock whose timers need no thread of the pool: one of its own runs them, one after the other, and is there while any of them is set. What they do must be
// short. They go by the system's time, whatever the clock is that is asked for the rest.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Calls;

/// <summary>The clock of a link whose callers block their threads. Thread-safe.</summary>
/// <param name="clock">What says how late it is.</param>
internal sealed class ThreadClock(TimeProvider clock) : TimeProvider
{
    private readonly object _gate = new();

    // Under the gate. Two of each line, and one of each batch that rests: too few for an order.
    private readonly List<OneTimer> _set = [];
    private bool _isRunning;

    public override long TimestampFrequency => clock.TimestampFrequency;

    public override long GetTimestamp() => clock.GetTimestamp();

    public override DateTimeOffset GetUtcNow() => clock.GetUtcNow();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new OneTimer(this, callback, state);
        _ = timer.Change(dueTime, period);
        return timer;
    }

    private void Set(OneTimer timer, TimeSpan dueTime)
    {
        bool starts;
        lock (_gate)
        {
            _ = _set.Remove(timer);
            if (!timer.IsDisposed && dueTime != Timeout.InfiniteTimeSpan)
            {
                timer.Begin(dueTime);
                _set.Add(timer);
            }

            // It waits for another one, or ends.
            Monitor.Pulse(_gate);
            starts = !_isRunning && _set.Count > 0;
            _isRunning |= starts;
        }

        if (starts)
        {
            OwnThread.Start(Run);
        }
    }

    private void Run()
    {
        while (NextDue() is { } timer)
        {
            try
            {
                timer.Fire();
            }
            catch (Exception)
            {
                // Nobody is there to hear it, and the timers of others come due too.
            }
        }
    }

    // Waits for it. Null when none is set any more, and the thread ends.
    private OneTimer? NextDue()
    {
        lock (_gate)
        {
            while (_set.Count > 0)
            {
                OneTimer first = _set[0];
                TimeSpan left = first.Left;
                foreach (OneTimer timer in _set)
                {
                    if (timer.Left is var other && other < left)
                    {
                        (first, left) = (timer, other);
                    }
                }

                if (left <= TimeSpan.Zero)
                {
                    _ = _set.Remove(first);
                    return first;
                }

                _ = Monitor.Wait(_gate, (int)double.Min(int.MaxValue, double.Ceiling(left.TotalMilliseconds)));
            }

            _isRunning = false;
            return null;
        }
    }

    /// <summary>A timer that comes due once each time it is set.</summary>
    private sealed class OneTimer(ThreadClock clock, TimerCallback callback, object? state) : ITimer
    {
        private long _setAt;
        private TimeSpan _dueTime;

        internal bool IsDisposed { get; private set; }

        internal TimeSpan Left => _dueTime - System.GetElapsedTime(_setAt);

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (period != Timeout.InfiniteTimeSpan)
            {
                throw new NotSupportedException("These timers come due once each time they are set.");
            }

            clock.Set(this, dueTime);
            return !IsDisposed;
        }

        public void Dispose()
        {
            IsDisposed = true;
            clock.Set(this, Timeout.InfiniteTimeSpan);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        internal void Begin(TimeSpan dueTime) => (_setAt, _dueTime) = (System.GetTimestamp(), dueTime);

        internal void Fire() => callback(state);
    }
}
