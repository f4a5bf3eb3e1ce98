using System;

namespace Pile.Hosting.Tests;

/// <summary>A clock that stands still until it is moved.</summary>
internal sealed class ManualTime : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _ticks;

    internal void Move(TimeSpan by) => _ticks += by.Ticks;
}
