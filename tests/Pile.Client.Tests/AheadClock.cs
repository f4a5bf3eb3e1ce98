using System;
using System.Threading;

namespace Pile.Client.Tests;

/// <summary>A clock that goes as the system's does, and can be put ahead. Its timers are the system's.</summary>
internal sealed class AheadClock : TimeProvider
{
    private long _aheadTicks;

    public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + Ahead;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => System.GetElapsedTime(0).Ticks + Volatile.Read(ref _aheadTicks);

    internal TimeSpan Ahead => TimeSpan.FromTicks(Volatile.Read(ref _aheadTicks));

    internal void PutAhead(TimeSpan by) => Interlocked.Add(ref _aheadTicks, by.Ticks);
}
