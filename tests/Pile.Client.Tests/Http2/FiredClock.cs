using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Tests.Http2;

/// <summary>A clock that tests move, and whose timers they fire, whatever they wait for. Not thread-safe.</summary>
internal sealed class FiredClock : TimeProvider
{
    private readonly List<Timer> _timers = [];
    private long _ticks = TimeSpan.TicksPerDay;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _ticks;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(() => callback(state), _timers);
        _timers.Add(timer);
        return timer;
    }

    internal void Move(TimeSpan span) => _ticks += span.Ticks;

    internal void Fire() => Array.ForEach(_timers.ToArray(), static timer => timer.Fire());

    private sealed class Timer(Action fire, List<Timer> timers) : ITimer
    {
        internal void Fire() => fire();

        public bool Change(TimeSpan dueTime, TimeSpan period) => timers.Contains(this);

        public void Dispose() => timers.Remove(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
