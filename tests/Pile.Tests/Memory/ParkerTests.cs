using System;
using System.Threading;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Memory;

/// <summary>Both forms of the parker: that of this machine's kernel, and the portable one.</summary>
public sealed class ParkerTests
{
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(60);

    public static TheoryData<bool> Forms => [true, false];

    [Theory]
    [MemberData(nameof(Forms))]
    public void APermitIsKeptForWhoParksLaterAndThereIsOneAtTheMost(bool isPortable)
    {
        Parker parker = New(isPortable);
        parker.Unpark();
        parker.Unpark();
        Assert.True(parker.Park(Timeout.InfiniteTimeSpan));
        Assert.False(parker.Park(TimeSpan.Zero));
        Assert.False(parker.Park(TimeSpan.FromMicroseconds(50)));
        Assert.False(parker.Park(TimeSpan.FromMilliseconds(3)));
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public void TwoThreadsHandATurnToEachOtherManyTimes(bool isPortable)
    {
        const int Turns = 20_000;
        Parker[] parkers = [New(isPortable), New(isPortable)];
        long taken = 0;
        bool isLost = false;
        Thread[] threads = new Thread[2];
        for (int index = 0; index < threads.Length; index++)
        {
            int self = index;
            threads[index] = new Thread(() =>
            {
                for (int turn = 0; turn < Turns && !Volatile.Read(ref isLost); turn++)
                {
                    if (!parkers[self].Park(turn % 3 == 0 ? Timeout.InfiniteTimeSpan : _long))
                    {
                        Volatile.Write(ref isLost, true);
                    }

                    // Plain: the permit orders it.
                    taken++;
                    parkers[1 - self].Unpark();
                }
            });
            threads[index].Start();
        }

        parkers[0].Unpark();
        Array.ForEach(threads, static thread => Assert.True(thread.Join(_long * 2), "a permit was lost"));
        Assert.False(isLost);
        Assert.Equal(2 * Turns, taken);
    }

    [Theory]
    [MemberData(nameof(Forms))]
    public void AnInterruptDoesNotEndTheWaitAndIsMetByTheNextOne(bool isPortable)
    {
        Parker parker = New(isPortable);
        bool isGiven = false;
        bool isMet = false;
        var thread = new Thread(() =>
        {
            isGiven = parker.Park(_long);
            try
            {
                using var never = new ManualResetEventSlim();
                _ = never.Wait(_long);
            }
            catch (ThreadInterruptedException)
            {
                isMet = true;
            }
        });
        thread.Start();
        thread.Interrupt();
        parker.Unpark();
        Assert.True(thread.Join(_long * 2));
        Assert.True(isGiven && isMet, $"{isGiven}, {isMet}");
    }

    private static Parker New(bool isPortable) => isPortable ? new MonitorParker() : Parker.Create();
}
