using System;
using System.Threading;

namespace Pile.Tests.Model;

/// <summary>A clock that each look moves on by five milliseconds: waits of the pile end by looking, not by waiting.</summary>
internal sealed class SteppingTime : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => 200;

    public override long GetTimestamp() => Interlocked.Increment(ref _ticks);
}
