using System;
using Pile.Cleaning;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Cleaning;

/// <summary>What a call that finds no room knows of flushes.</summary>
public sealed class RoomAttemptTests
{
    [Fact]
    public void AFlushThatEndsGivesACallThatWaitsItsTimeAnew()
    {
        var time = new ManualTime();
        var attempt = default(RoomAttempt);
        _ = attempt.Begin(time);
        time.Advance(TimeSpan.FromSeconds(3));
        Assert.Equal(TimeSpan.FromSeconds(3), attempt.SinceFlush(time, completed: 4));
        Assert.Equal(TimeSpan.Zero, attempt.SinceFlush(time, completed: 5));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(TimeSpan.FromSeconds(1), attempt.SinceFlush(time, completed: 5));
        Assert.Equal(TimeSpan.FromSeconds(4), attempt.Elapsed(time));
    }

    [Fact]
    public void ACallAwaitsTheFlushThatFollowsItsFirstLookAndAnotherWhereOneIsMeant()
    {
        var flushes = new FlushClock(isWaitedFor: true);
        flushes.ContinueAt(7);
        int asked = 0;
        flushes.Wanted = () => asked++;
        long running = flushes.Begin();
        var attempt = default(RoomAttempt);
        Assert.True(attempt.AwaitsFlush(flushes, another: false));
        flushes.Complete(running);
        Assert.True(attempt.AwaitsFlush(flushes, another: false));
        Assert.Equal(2, asked);
        flushes.Complete(flushes.Begin());
        Assert.False(attempt.AwaitsFlush(flushes, another: false));
        Assert.True(attempt.AwaitsFlush(flushes, another: true));
        flushes.Complete(flushes.Begin());
        Assert.False(attempt.AwaitsFlush(flushes, another: false));
    }

    [Fact]
    public void WhereNothingWaitsForFlushesNoCallDoes() =>
        Assert.False(default(RoomAttempt).AwaitsFlush(new FlushClock(isWaitedFor: false), another: true));

    private sealed class ManualTime : TimeProvider
    {
        private TimeSpan _now = TimeSpan.FromHours(1);

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _now.Ticks;

        internal void Advance(TimeSpan time) => _now += time;
    }
}
