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
    /// <summary>A serial of ones: the half that is a semaphore to the system is as full as it gets.</summary>
    private const long SerialOnes = long.MaxValue & -EpochLine.SerialStep;

    [Fact]
    public void EveryThreadFindsItsOwnLineOnStacksThatOthersHadBefore()
    {
        var seen = new HashSet<nint>();
        for (int generation = 0; generation < 600; generation++)
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

        // Lines come again, or a program that makes threads without end would use memory without end; but not before others have rested as long.
        Assert.InRange(seen.Count, Limits.LinesResting, 2500);
    }

    [Fact]
    public void NobodyEntersByTheLineThatIsNobodys()
    {
        var line = new EpochLine(ThreadLines.Nobodys);
        long word = line.Word;

        Assert.False(line.TryEnter(EpochLine.SerialStep, out _));
        default(PileLease).Dispose();

        Assert.Equal(word, line.Word);
        Assert.False(EpochLine.IsInside(word));
    }

    [Fact]
    public void PlacesForPagesComeWithTheLinesThatAreUsed()
    {
        OwnThread.Start(static () => Check(depth: 1)).Join();
        Assert.InRange(ThreadLines.Listed, 1, Limits.ThreadsMax / 8);
    }

    [Theory]
    [InlineData(0L)]
    [InlineData(SerialOnes)]
    [InlineData(0x7FFL << EpochLine.SerialShift)]
    [InlineData(0xFFFL << EpochLine.SerialShift)]
    public void ALineIsFoundByItsThreadAndLetsNobodyEnterAfterIt(long word)
    {
        // The last line there could be, which the registry reaches only with as many threads. What stands in the word must not keep the system from its
        // mark: it takes the lower half for a semaphore, which is not raised when it is full.
        const int Index = Limits.ThreadsMax - 1;
        var line = new EpochLine(ThreadLines.At(Index));
        for (int generation = 0; generation < 50; generation++)
        {
            bool isWatched = false;
            OwnThread.Start(() =>
            {
                isWatched = ThreadLines.Take(Index, word);
                Assert.True(!isWatched || !ThreadLines.HasRows || Find(depth: 3, line.Place) > 0, $"generation {generation}: no page of the stack led to the line");
                Assert.True(line.TryEnter(EpochLine.SerialStep, out long held));
                line.LeaveOutermost(held);
            }).Join();

            // The system marks it a moment after the runtime has let go of the thread.
            Assert.True(!isWatched || SpinWait.SpinUntil(static () => ThreadLines.HasEnded(Index), TimeSpan.FromMinutes(1)), "the end of a thread was not marked within a minute");
            Assert.False(isWatched && line.TryEnter(EpochLine.SerialStep, out _));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnAbandonedLineLetsNobodyEnterAndStillTellsTheEnd(bool isInside)
    {
        const int Index = Limits.ThreadsMax - 2;
        const long IdWord = EpochLine.SerialStep + (5L << EpochLine.IdShift);
        var line = new EpochLine(ThreadLines.At(Index));
        using var isReady = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        bool isWatched = false;
        OwnThread thread = OwnThread.Start(() =>
        {
            isWatched = ThreadLines.Take(Index, 0);
            Assert.True(line.TryEnter(IdWord, out long held));
            if (!isInside)
            {
                line.LeaveOutermost(held);
            }

            isReady.Set();
            go.Wait(TestContext.Current.CancellationToken);
        });
        Assert.True(isReady.Wait(TimeSpan.FromMinutes(1), TestContext.Current.CancellationToken));
        Assert.Equal(isInside, EpochLine.IsInside(line.Word));

        line.Abandon();

        Assert.False(EpochLine.IsInside(line.Word));
        Assert.False(line.TryEnter(IdWord, out _));
        Assert.False(ThreadLines.HasEnded(Index));
        go.Set();
        thread.Join();
        Assert.True(!isWatched || SpinWait.SpinUntil(static () => ThreadLines.HasEnded(Index), TimeSpan.FromMinutes(1)));
        Assert.False(line.TryEnter(IdWord, out _));
        Assert.True(line.NextThreadsWord >> EpochLine.SerialShift > 0 && !EpochLine.IsInside(line.NextThreadsWord));
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
        nint found = ThreadLines.Find();
        Assert.True(found == 0 || found == own, "the page of the stack led to another line");
        return (found != 0 ? 1 : 0) + (depth > 0 ? Find(depth - 1, own) : 0);
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
            Assert.Equal(line.Place, Check(depth - 1));
        }

        return line.Place;
    }
}
