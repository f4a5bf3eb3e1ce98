using Pile.Cleaning;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Cleaning;

/// <summary>What a call that finds no room knows of flushes.</summary>
public sealed class RoomAttemptTests
{
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
}
