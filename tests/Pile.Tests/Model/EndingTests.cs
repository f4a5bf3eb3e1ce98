using System;
using System.Threading;
using Xunit;

namespace Pile.Tests.Model;

[Trait("Category", "Model")]
public sealed class EndingTests
{
    [Theory]
    [InlineData(401)]
    [InlineData(402)]
    public void DisposeByThreeThreadsWhileOthersWriteEndsThePileOnce(int seed)
    {
        for (int round = 0; round < 60; round++)
        {
            using ObjectPile pile = TinyPile.Create(background: true);
            using var crew = new Crew();
            using var isFull = new ManualResetEventSlim();
            crew.Add("writer", () => Write(pile, seed + round, isFull));
            crew.Add("another writer", () => Write(pile, seed - round, isFull));
            for (int thread = 0; thread < 3; thread++)
            {
                crew.Add($"ender {thread}", () =>
                {
                    isFull.Wait();
                    pile.Dispose();
                });
            }

            crew.Run($"seed {seed}, round {round}");

            Assert.Equal(PileStatus.Disposed, pile.TryUpdate(default, 1L));
        }
    }

    private static void Write(ObjectPile pile, int seed, ManualResetEventSlim isFull)
    {
        try
        {
            WriteUntilDisposed(pile, seed, isFull);
        }
        finally
        {
            isFull.Set();
        }
    }

    private static void WriteUntilDisposed(ObjectPile pile, int seed, ManualResetEventSlim isFull)
    {
        var random = new Random(seed);
        var pointers = new PilePointer[500];
        for (int write = 0; ; write++)
        {
            int chosen = random.Next(pointers.Length);
            byte[] content = Content.Make(chosen, write, Content.HeaderBytes + random.Next(2000));
            PileStatus status;
            if (pointers[chosen].IsNull)
            {
                _ = pile.TryPut(content, out pointers[chosen], out status);
            }
            else
            {
                status = pile.TryUpdate(pointers[chosen], content);
            }

            if (status == PileStatus.Disposed)
            {
                return;
            }

            ModelMismatchException.Unless(status is PileStatus.Ok or PileStatus.Full, "status", $"answered {status}");
            if (write == 2000)
            {
                isFull.Set();
            }
        }
    }
}
