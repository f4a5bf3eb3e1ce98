using System;
using System.Linq;
using System.Threading;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Primitives;

public sealed class AllCoresTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(9)]
    public void EveryPieceOfEveryRunIsDoneOnceBeforeItReturns(int most)
    {
        using var cores = new AllCores(most);
        for (int pieces = 0; pieces < 200; pieces++)
        {
            int[] done = new int[pieces];
            cores.Run(pieces, piece => Interlocked.Increment(ref done[piece]));
            Assert.All(done, static times => Assert.Equal(1, times));
        }
    }

    [Fact]
    public void AFailureIsThrownWhenAllHaveEndedAndTheNextRunIsWhole()
    {
        using var cores = new AllCores(most: 4);
        for (int run = 0; run < 100; run++)
        {
            int inside = 0;
            InvalidOperationException failure = Assert.Throws<InvalidOperationException>(() => cores.Run(50, piece =>
            {
                _ = Interlocked.Increment(ref inside);
                if (piece == 7)
                {
                    _ = Interlocked.Decrement(ref inside);
                    throw new InvalidOperationException("seven");
                }

                _ = Interlocked.Decrement(ref inside);
            }));
            Assert.Equal("seven", failure.Message);
            Assert.Equal(0, Volatile.Read(ref inside));

            int sum = 0;
            cores.Run(50, piece => Interlocked.Add(ref sum, piece));
            Assert.Equal(Enumerable.Range(0, 50).Sum(), sum);
        }
    }

    [Fact]
    public void SharedWorkIsDoneByNoMoreThreadsThanItIsWorthBeforeTheCallReturns()
    {
        int next = -1;
        int[] done = new int[5000];
        AllCores.Share(done.Length, share: 10, () =>
        {
            for (int part = Interlocked.Increment(ref next); part < done.Length; part = Interlocked.Increment(ref next))
            {
                _ = Interlocked.Increment(ref done[part]);
            }
        });
        Assert.All(done, static times => Assert.Equal(1, times));

        int caller = Environment.CurrentManagedThreadId;
        AllCores.Share(19, share: 10, () => Assert.Equal(caller, Environment.CurrentManagedThreadId));
    }

    [Fact]
    public void AFailureOfAnyThreadIsTheCallersOnceAllHaveEnded()
    {
        int begun = 0;
        int ended = 0;
        _ = Assert.Throws<InvalidOperationException>(() => AllCores.Share(long.MaxValue, share: 1, () =>
        {
            int which = Interlocked.Increment(ref begun);
            Interlocked.Increment(ref ended);
            if (which == 1)
            {
                throw new InvalidOperationException("planted");
            }
        }));
        Assert.True(begun >= 1);
        Assert.Equal(Volatile.Read(ref begun), Volatile.Read(ref ended));
    }

    [Fact]
    public void ThereAreNoMoreThreadsThanCoresAndNoneForLittleWork()
    {
        Assert.Equal(1, AllCores.CountFor(0, 100));
        Assert.Equal(1, AllCores.CountFor(199, 100));
        Assert.Equal(Environment.ProcessorCount, AllCores.CountFor(long.MaxValue, 100));
    }
}
