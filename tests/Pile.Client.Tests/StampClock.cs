// A clock whose time stamps tests move, and only they. Timers and the time of day are the system's.
using System;
using System.Threading;

namespace Pile.Client.Tests;

internal sealed class StampClock : TimeProvider
{
    private long _ticks = TimeSpan.TicksPerDay;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Volatile.Read(ref _ticks);

    internal void Move(TimeSpan span) => Interlocked.Add(ref _ticks, span.Ticks);
}
