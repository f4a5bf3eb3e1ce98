using System;
using System.Linq;
using System.Threading;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Primitives;

public sealed class WorkCrewTests
{
    [Fact]
    public void EachThreadDoesItsPartBeforeTheCallReturns()
    {
        int[] done = new int[5];
        WorkCrew.Run(done.Length, number => done[number] = Environment.CurrentManagedThreadId);
        Assert.Equal(done.Length, done.Distinct().Count());
        Assert.Equal(Environment.CurrentManagedThreadId, done[0]);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void AFailureOfAnyThreadIsTheCallersOnceAllHaveEnded(int failing)
    {
        int ended = 0;
        Assert.Throws<InvalidOperationException>(() => WorkCrew.Run(3, number =>
        {
            _ = Interlocked.Increment(ref ended);
            if (number == failing)
            {
                throw new InvalidOperationException("planted");
            }
        }));
        Assert.Equal(3, ended);
    }

    [Fact]
    public void ThereAreNoMoreThreadsThanCoresAndNoneForLittleWork()
    {
        Assert.Equal(1, WorkCrew.Size(0, 100));
        Assert.Equal(1, WorkCrew.Size(199, 100));
        Assert.Equal(Environment.ProcessorCount, WorkCrew.Size(long.MaxValue, 100));
    }
}
