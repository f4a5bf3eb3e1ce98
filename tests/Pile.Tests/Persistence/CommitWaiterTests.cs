using System;
using System.Threading;
using Pile.Memory;
using Pile.Persistence;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>Threads that wait for flushes, and tell each other that theirs has ended.</summary>
public sealed class CommitWaiterTests
{
    private const int Rounds = 100_000;

    /// <summary>A thread that was told to watch, or has a permit left over, may wake at any moment while others are linked behind it and told.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void WhoWakesWhileAllAreToldToReturnLeavesNobodyOutAndTellsNobodyTwice(bool isCarrier)
    {
        var first = new TellParker();
        var last = new TellParker();
        var waking = new CommitWaiter(new WakefulParker());
        var before = new CommitWaiter(first);
        var behind = new CommitWaiter(last);
        int begun = 0;
        int returned = 0;
        var thread = OwnThread.Start(() =>
        {
            for (int round = 1; round <= Rounds; round++)
            {
                SpinWait.SpinUntil(() => Volatile.Read(ref begun) >= round);
                while (waking.Wait(Timeout.InfiniteTimeSpan) != CommitTurn.Return)
                {
                }

                Volatile.Write(ref returned, round);
            }
        });

        int wrong = 0;
        for (int round = 1; round <= Rounds; round++)
        {
            Volatile.Write(ref begun, round);
            Thread.SpinWait(round % 31);
            CommitWaiter.TellAll(isCarrier ? [waking, before, behind] : [before, waking, behind], isCarrier ? 1 : 0);
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref returned) >= round, TimeSpan.FromSeconds(50)), "the waking thread was left out");
            wrong += first.Told == round && last.Told == round ? 0 : 1;
            first.Told = last.Told = round;
        }

        thread.Join();
        Assert.Equal(0, wrong);
    }

    /// <summary>A place where the thread does not stay.</summary>
    private sealed class WakefulParker : Parker
    {
        private int _parks;

        internal override bool Park(TimeSpan wait)
        {
            // On one processor the one who tells must come to it.
            if (++_parks % 64 == 0)
            {
                _ = Thread.Yield();
            }

            return true;
        }

        internal override void Unpark()
        {
        }
    }

    /// <summary>Counts how often its thread is told.</summary>
    private sealed class TellParker : Parker
    {
        private int _told;

        internal int Told
        {
            get => Volatile.Read(ref _told);
            set => Volatile.Write(ref _told, value);
        }

        internal override bool Park(TimeSpan wait) => false;

        internal override void Unpark() => Interlocked.Increment(ref _told);
    }
}
