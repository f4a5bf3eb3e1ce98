using System;

namespace Pile.Tool.Tests;

/// <summary>A clock that stands until it is told to go on.</summary>
internal sealed class ManualClock : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => _ticks;

    internal void Advance(TimeSpan by) => _ticks += by.Ticks;
}
