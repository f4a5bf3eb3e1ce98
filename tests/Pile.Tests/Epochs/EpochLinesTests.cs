using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Epochs;
using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Epochs;

[Collection(Alone.Name)]
public sealed class EpochLinesTests
{
    [Fact]
    public void EveryThreadFindsItsOwnLineOnStacksThatOthersHadBefore()
    {
        var seen = new HashSet<nint>();
        for (int generation = 0; generation < 200; generation++)
        {
            // Stacks of threads that have ended are used again; at any moment each line has one thread.
            using var allFound = new Barrier(5);
            nint[] lines = new nint[5];
            var threads = new OwnThread[lines.Length];
            for (int index = 0; index < lines.Length; index++)
            {
                int own = index;
                threads[index] = OwnThread.Start(() =>
                {
                    lines[own] = Check(depth: 40);
                    allFound.SignalAndWait(TestContext.Current.CancellationToken);
                    Assert.Equal(lines[own], Check(depth: 40));
                });
            }

            foreach (OwnThread thread in threads)
            {
                thread.Join();
            }

            Assert.Equal(lines.Length, new HashSet<nint>(lines).Count);
            seen.UnionWith(lines);
        }

        // Lines come again, or a program that makes threads without end would use memory without end.
        Assert.InRange(seen.Count, 5, 500);
    }

    [Fact]
    public void ALineIsFoundWhenItsCountOfEndsHasComeRound()
    {
        // The last line there could be, which the registry reaches only with as many threads; its count has 12 bits.
        const int Index = Limits.ThreadsMax - 1;
        long life = 0;
        for (int generation = 0; generation < (1 << 12) + 10 && life >= 0; generation++)
        {
            OwnThread.Start(() =>
            {
                life = ThreadLines.Take(Index);
                Assert.True(life < 0 || Find(depth: 3, ThreadLines.At(Index)) > 0, $"generation {generation}: no page of the stack led to the line");
            }).Join();

            // The system counts a moment after the runtime has let go of the thread.
            Assert.True(life < 0 || SpinWait.SpinUntil(() => ThreadLines.HasEnded(Index, life), TimeSpan.FromMinutes(1)), "the end of a thread was not counted within a minute");
        }
    }

    [Fact]
    public void ALineOutlivesItsThreadsNameButNotItsThread()
    {
        EpochLine line = default;
        OwnThread.Start(() => line = EpochLine.Current, "named").Join();

        EpochLines.DropDead();
        Assert.NotSame(Thread.CurrentThread, EpochLines.ThreadOf(line));
        Assert.NotEqual(line, EpochLine.Current);
    }

    /// <summary>Looks from several places of the stack: never another line. The page is noted by a frame below, which may stand on the next one.</summary>
    /// <returns>How often the page was enough.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Find(int depth, nint own)
    {
        Span<byte> page = stackalloc byte[1500];
        page[depth] = 1;
        Assert.Equal(own, ThreadLines.FindSlowly());
        bool isFound = ThreadLines.TryFind(out nint found);
        Assert.True(!isFound || found == own, "the page of the stack led to another line");
        return (isFound ? 1 : 0) + (depth > 0 ? Find(depth - 1, own) : 0);
    }

    /// <summary>Looks from many pages of the stack; always the same line, and the registry agrees.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static nint Check(int depth)
    {
        Span<byte> page = stackalloc byte[1500];
        page[depth] = 1;
        EpochLine line = EpochLine.Current;
        Assert.Same(Thread.CurrentThread, EpochLines.ThreadOf(line));
        if (depth > 0)
        {
            Assert.Equal(line.Address, Check(depth - 1));
        }

        return line.Address;
    }
}
