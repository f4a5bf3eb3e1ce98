using System;
using System.Threading;

namespace Pile.Tests.Model;

/// <summary>A clock that goes on by a step whenever it is read: waits end after so many looks, not after so much time.</summary>
internal sealed class SteppingTime(TimeSpan step) : TimeProvider
{
    private long _ticks;

    /// <summary>A clock by which a wait ends soon.</summary>
    internal SteppingTime()
        : this(TimeSpan.FromMilliseconds(5))
    {
    }

    /// <summary>What it has come to; reading it here is no step.</summary>
    internal long Ticks => Volatile.Read(ref _ticks);

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Add(ref _ticks, step.Ticks);
}
