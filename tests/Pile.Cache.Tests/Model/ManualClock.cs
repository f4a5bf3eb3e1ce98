// A clock that tests move, forth and back, and timers that fire when it is moved past them, on the thread that moves it.
// Time stamps are those of the system: waits are real.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace Pile.Cache.Tests.Model;

internal sealed class ManualClock : TimeProvider
{
    private readonly Lock _gate = new();
    private readonly List<ManualTimer> _timers = [];
    private long _ticks = new DateTimeOffset(2026, 1, 1, 0, 0, 0, TimeSpan.Zero).UtcTicks;

    /// <summary>Timers that wait.</summary>
    internal int Waiting
    {
        get
        {
            lock (_gate)
            {
                return _timers.Count(static timer => timer.Due != long.MaxValue);
            }
        }
    }

    /// <summary>Called by whoever asks for the time.</summary>
    internal Action? AtRead { get; set; }

    /// <summary>Called by whoever made a timer.</summary>
    internal Action? AtTimer { get; set; }

    public override DateTimeOffset GetUtcNow()
    {
        AtRead?.Invoke();
        return new(Volatile.Read(ref _ticks), TimeSpan.Zero);
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, callback, state);
        _ = timer.Change(dueTime, period);
        AtTimer?.Invoke();
        return timer;
    }

    internal void Move(TimeSpan span)
    {
        long now = Interlocked.Add(ref _ticks, span.Ticks);
        ManualTimer[] due;
        lock (_gate)
        {
            due = [.. _timers.Where(timer => timer.Due <= now)];
            Array.ForEach(due, static timer => timer.Due = long.MaxValue);
        }

        Array.ForEach(due, static timer => timer.Fire());
    }

    /// <summary>One that fires once.</summary>
    private sealed class ManualTimer(ManualClock clock, TimerCallback callback, object? state) : ITimer
    {
        internal long Due { get; set; } = long.MaxValue;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (clock._gate)
            {
                _ = clock._timers.Remove(this);
                Due = dueTime == Timeout.InfiniteTimeSpan ? long.MaxValue : Volatile.Read(ref clock._ticks) + dueTime.Ticks;
                clock._timers.Add(this);
            }

            return true;
        }

        public void Dispose()
        {
            lock (clock._gate)
            {
                _ = clock._timers.Remove(this);
            }
        }

        public System.Threading.Tasks.ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        internal void Fire() => callback(state);
    }
}
