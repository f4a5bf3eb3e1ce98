using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

public sealed class FlushClockTests
{
    [Fact]
    public void AFlushThatRunsIsNotAskedForAgain()
    {
        int asked = 0;
        var clock = new FlushClock(isWaitedFor: true) { Wanted = () => asked++ };
        long needed = clock.Next;
        clock.Ask(needed);
        Assert.Equal(1, asked);

        long flush = clock.Begin();
        clock.Ask(needed);
        Assert.Equal(1, asked);

        clock.Ask(clock.Next);
        Assert.Equal(2, asked);

        clock.Complete(flush);
        clock.Ask(needed);
        Assert.Equal(2, asked);
    }

    [Fact]
    public void NoFlushIsAskedForWhereNobodyWaitsForOne()
    {
        int asked = 0;
        var clock = new FlushClock(isWaitedFor: false) { Wanted = () => asked++ };
        clock.Ask(1);

        Assert.Equal(0, asked);
    }
}
