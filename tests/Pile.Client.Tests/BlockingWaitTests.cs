using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;
using Pile.Client.Calls;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>How a thread waits for a call.</summary>
public sealed class BlockingWaitTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task AWaitThatLastsLooksAtTheCallAsItBeginsAndNeverAgain()
    {
        var call = new Call();
        Task<int> wait = WaitFor(call);
        Action wake = await Within.AMinuteAsync(call.Awaited.Task, "the begin of the wait");
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(100));
        _ = await timer.WaitForNextTickAsync(Cancel);
        call.IsDone = true;
        wake();
        Assert.Equal(7, await Within.AMinuteAsync(wait, "the end of the wait"));
        Assert.InRange(call.Looks, 1, 2);
    }

    [Fact]
    public async Task ACallThatIsDoneAsTheWaitBeginsNeedsNobodyToTellIt()
    {
        var call = new Call { IsDoneWhenAwaited = true };
        Assert.Equal(7, await Within.AMinuteAsync(WaitFor(call), "the end of the wait"));
    }

    private static Task<int> WaitFor(Call call) =>
        Task.Factory.StartNew(() => BlockingWait.For(new ValueTask<int>(call, 0)), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>A call that counts how often it is asked whether it is done.</summary>
    private sealed class Call : IValueTaskSource<int>
    {
        private int _looks;

        internal TaskCompletionSource<Action> Awaited { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal bool IsDoneWhenAwaited { get; init; }

        internal volatile bool IsDone;

        internal int Looks => Volatile.Read(ref _looks);

        public int GetResult(short token) => 7;

        public ValueTaskSourceStatus GetStatus(short token)
        {
            _ = Interlocked.Increment(ref _looks);
            return IsDone ? ValueTaskSourceStatus.Succeeded : ValueTaskSourceStatus.Pending;
        }

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
        {
            IsDone = IsDoneWhenAwaited;
            Awaited.SetResult(() => continuation(state));
        }
    }
}
