using System;
using System.Threading;

namespace Pile.Server.Tests;

/// <summary>A clock that stands until it is moved.</summary>
internal sealed class MovedTime : TimeProvider
{
    private readonly DateTimeOffset _began = System.GetUtcNow();
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override DateTimeOffset GetUtcNow() => _began.AddTicks(GetTimestamp());

    internal void Move(TimeSpan by) => Interlocked.Add(ref _ticks, by.Ticks);
}
