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
}
