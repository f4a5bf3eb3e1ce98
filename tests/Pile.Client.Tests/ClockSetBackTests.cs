using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Calls whose gRPC deadline comes late, as where the system's time of day was set back under them: they end by the client's own clock.</summary>
public sealed class ClockSetBackTests
{
    [Theory]
    [InlineData("get")]
    [InlineData("increment")]
    [InlineData("get many")]
    [InlineData("get or add")]
    [InlineData("get large")]
    [InlineData("set 100 kB")]
    [InlineData("set 5 MB")]
    [InlineData("set stream")]
    public async Task ACallUnderWayEndsByTheClientsOwnClock(string kind)
    {
        await using ServerDouble silent = await ServerDouble.StartAsync(static (_, _, _) => Task.CompletedTask, static context => new TaskCompletionSource().Task.WaitAsync(context.RequestAborted));
        await using var client = new PileClient(new PileClientOptions
        {
            Address = silent.Address,
            IsBatching = false,
            KeepAlive = Timeout.InfiniteTimeSpan,
            Deadline = TimeSpan.FromMinutes(10),
            TimeProvider = new QuickTimers(),
        });
        PileClientTable table = client.Table();
        using var stream = new MemoryStream(new byte[500_000]);
        Task call = kind switch
        {
            "get" => table.GetAsync("a").AsTask(),
            "increment" => table.IncrementAsync("a"),
            "get many" => table.GetManyAsync(["a", "b"]),
            "get or add" => table.GetOrAddAsync("a", static _ => ValueTask.FromResult(new byte[1])),
            "get large" => table.GetLargeAsync("a", stream),
            "set 100 kB" => table.SetAsync("a", new byte[100_000]).AsTask(),
            "set 5 MB" => table.SetAsync("a", new byte[5_000_000]).AsTask(),
            _ => table.SetLargeAsync("a", stream, stream.Length),
        };

        PileClientException late = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(call, "the end of the call"));
        Assert.Equal((StatusCode.DeadlineExceeded, kind != "increment"), (late.Code, late.IsRetrySafe));
        Assert.Contains("did not answer within 600 s (Deadline). Give its calls a longer one", late.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ACallThatIsCancelledIsNotCalledLate()
    {
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServerDouble silent = await ServerDouble.StartAsync(
            static (_, _, _) => Task.CompletedTask,
            async context =>
            {
                asked.SetResult();
                await new TaskCompletionSource().Task.WaitAsync(context.RequestAborted);
            });
        await using var client = new PileClient(new PileClientOptions { Address = silent.Address, IsBatching = false, Deadline = TimeSpan.FromMinutes(10) });
        using var cancels = new CancellationTokenSource();
        Task call = client.Table().GetAsync("a", cancels.Token).AsTask();
        await Within.AMinuteAsync(asked.Task, "the call at the server");
        await cancels.CancelAsync();
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(call, "the end of the call"));
    }

    /// <summary>Its timers come due in a thousandth of their time.</summary>
    private sealed class QuickTimers : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            System.CreateTimer(callback, state, dueTime > TimeSpan.Zero ? dueTime / 1000 : dueTime, period);
    }
}
