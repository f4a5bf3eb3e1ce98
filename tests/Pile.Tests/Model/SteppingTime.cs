using System;
using System.Threading;

namespace Pile.Tests.Model;

/// <summary>A clock that each look moves on by a tenth of a millisecond: waits of the pile end by looking, not by waiting.</summary>
internal sealed class SteppingTime : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => 10_000;

    public override long GetTimestamp() => Interlocked.Increment(ref _ticks);
}
