using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Calls;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Timers of a thread of their own.</summary>
public sealed class ThreadClockTests
{
    [Fact]
    public async Task TimersComeDueInOneThreadThatIsNoneOfThePoolUnlessTheyWereDisposed()
    {
        var clock = new ThreadClock(TimeProvider.System);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        List<int> threads = [];
        await using ITimer late = clock.CreateTimer(static _ => { }, null, TimeSpan.FromHours(1), Timeout.InfiniteTimeSpan);
        ITimer never = clock.CreateTimer(_ => threads.Add(-1), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        never.Dispose();
        Assert.False(never.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan));
        void Due(object? state)
        {
            threads.Add(Thread.CurrentThread.IsThreadPoolThread ? -1 : Environment.CurrentManagedThreadId);
            if (threads.Count == 3)
            {
                done.SetResult();
            }
        }

        for (int time = 0; time < 3; time++)
        {
            _ = clock.CreateTimer(Due, null, TimeSpan.FromMilliseconds(time), Timeout.InfiniteTimeSpan);
        }

        await Within.AMinuteAsync(done.Task, "the timers");
        Assert.All(threads, thread => Assert.True(thread > 0 && thread == threads[0]));
    }

    [Fact]
    public async Task TheThreadEndsWithTheLastTimerThatIsSetAndAnotherBeginsWithTheNext()
    {
        var clock = new ThreadClock(TimeProvider.System);
        for (int round = 0; round < 2; round++)
        {
            var first = new TaskCompletionSource<Thread>(TaskCreationOptions.RunContinuationsAsynchronously);
            await using ITimer late = clock.CreateTimer(static _ => { }, null, TimeSpan.FromHours(1), Timeout.InfiniteTimeSpan);
            await using ITimer soon = clock.CreateTimer(_ => first.SetResult(Thread.CurrentThread), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            Thread thread = await Within.AMinuteAsync(first.Task, "the timer");
            Assert.True(thread.IsAlive);
            Assert.True(late.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
            Assert.True(thread.Join(TimeSpan.FromMinutes(1)));
        }
    }

    [Fact]
    public async Task ATimerThatThrowsIsTheEndOfNoOther()
    {
        var clock = new ThreadClock(TimeProvider.System);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ITimer throws = clock.CreateTimer(static _ => throw new InvalidOperationException("the timer's own"), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        await using ITimer next = clock.CreateTimer(_ => done.SetResult(), null, TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
        await Within.AMinuteAsync(done.Task, "the next timer");
    }
}
