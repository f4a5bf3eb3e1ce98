using System;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>What callers are told where there is no connection: why, and each time.</summary>
public sealed class UnreachedTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true, "refused")]
    [InlineData(false, "refused")]
    [InlineData(true, "No TLS")]
    [InlineData(false, "No TLS")]
    public async Task EveryCallSaysWhyThereIsNoConnection(bool isBlocking, string expected)
    {
        await using ServerDouble clear = await ServerDouble.StartAsync(static (_, _, _) => Task.CompletedTask);

        // A port that nobody listens at: it is held.
        using var held = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        held.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        await using var client = new PileClient(new PileClientOptions
        {
            Address = expected == "No TLS" ? clear.Address.Replace("http:", "https:", StringComparison.Ordinal) : $"http://{held.LocalEndPoint}",
            Deadline = TimeSpan.FromSeconds(1),
        });
        var cache = new PileClientDistributedCache(client);
        for (int call = 0; call < 3; call++)
        {
            PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(
                isBlocking ? Task.Factory.StartNew(() => cache.Get("a"), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default) : client.Table().GetAsync("a", Cancel).AsTask(), "the call"));

            // The first may come to its end before the first connection has come to its own.
            Assert.True(call == 0 || (failure is { Code: StatusCode.Unavailable, IsRetrySafe: true } && failure.Message.Contains(expected, StringComparison.Ordinal)), failure.ToString());
        }
    }

    [Fact]
    public async Task ASilentConnectionBehindOneThatWasLostIsADeadlineWithThatAsItsCause()
    {
        int streams = 0;
        await using ServerDouble silent = await ServerDouble.StartAsync((_, _, context) =>
            Interlocked.Increment(ref streams) == 1 ? ServerDouble.EndAsync(context, StatusCode.Unavailable) : new TaskCompletionSource().Task.WaitAsync(context.RequestAborted));
        await using var client = new PileClient(new PileClientOptions { Address = silent.Address, Deadline = TimeSpan.FromSeconds(2) });
        PileClientException late = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.Table().GetAsync("a", Cancel).AsTask(), "the call"));
        Assert.Equal(StatusCode.DeadlineExceeded, late.Code);
        Assert.Equal(StatusCode.Unavailable, Assert.IsType<PileClientException>(late.InnerException).Code);
    }
}
