using System;
using System.Threading;

namespace Pile.Hosting.Tests;

/// <summary>A clock that stands still until it is moved, or moves with each look at it.</summary>
internal sealed class ManualTime : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>How far each look moves it.</summary>
    internal TimeSpan Step { get; init; }

    public override long GetTimestamp() => Interlocked.Add(ref _ticks, Step.Ticks);

    internal void Move(TimeSpan by) => _ticks += by.Ticks;
}
