using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>What is sent again, over which connection, and when a stream is given up or asked for anew.</summary>
public sealed class ResendTests
{
    [Fact]
    public async Task ABatchThatIsSentAgainHasOnlyCallsThatSomebodyWaitsFor()
    {
        const int Calls = 40;
        int streams = 0;
        var seenAgain = new ConcurrentQueue<BatchSeen>();
        int firstKeys = 0;
        var breaks = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServerDouble server = await ServerDouble.StartAsync(async (requests, replies, context) =>
        {
            bool isFirst = Interlocked.Increment(ref streams) == 1;
            Task end = isFirst ? breaks.Task : new TaskCompletionSource().Task;
            while (true)
            {
                Task<BatchSeen?> reading = ServerDouble.ReadAsync(requests);
                if (await Task.WhenAny(reading, end) == end || await reading is not { } request)
                {
                    return;
                }

                if (isFirst)
                {
                    _ = Interlocked.Add(ref firstKeys, request.Keys);
                    continue;
                }

                seenAgain.Enqueue(request);
                await replies.WriteAsync(ServerDouble.Values(request.Id, request.Keys, 7));
                await replies.FlushAsync();
            }
        });
        await using PileClient client = Client(server.Address);
        PileClientTable table = client.Table();
        using var cancels = new CancellationTokenSource();

        // 0 to 9 are digits that tell the calls apart; even ones are cancelled.
        Task<byte[]?>[] calls = [.. Enumerable.Range(0, Calls).Select(number => table.GetAsync($"<{number}>", number % 2 == 0 ? cancels.Token : CancellationToken.None).AsTask())];
        await Within.UntilAsync(() => Task.FromResult(Volatile.Read(ref firstKeys) > 1), "the server has some of them");
        await cancels.CancelAsync();
        for (int number = 0; number < Calls; number += 2)
        {
            _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(calls[number], "a cancelled call"));
        }

        breaks.SetResult();
        for (int number = 1; number < Calls; number += 2)
        {
            Assert.Equal([7], await Within.AMinuteAsync(calls[number], "a call that was not cancelled"));
        }

        string again = string.Concat(seenAgain.Select(static request => request.KeyText));
        Assert.Equal(Calls / 2, seenAgain.Sum(static request => request.Keys));
        Assert.DoesNotContain("<0>", again, StringComparison.Ordinal);
        Assert.Contains("<1>", again, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CallsOfOneKeyHaveOneConnection()
    {
        var connections = new ConcurrentDictionary<string, ConcurrentDictionary<string, bool>>();
        await using ServerDouble server = await ServerDouble.StartAsync(async (requests, replies, context) =>
        {
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                foreach (string key in request.KeyText.Split(';', StringSplitOptions.RemoveEmptyEntries))
                {
                    connections.GetOrAdd(key, static _ => new())[context.Connection.Id] = true;
                }

                await replies.WriteAsync(ServerDouble.Values(request.Id, request.Keys, 7));
                await replies.FlushAsync();
            }
        });
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, Connections = 4, Deadline = TimeSpan.FromMinutes(1) });
        PileClientTable table = client.Table();
        PileKey[] keys = [.. Enumerable.Range(0, 64).SelectMany(static number => (PileKey[])[$"key {number};", Encoding.UTF8.GetBytes($"key {number};")])];

        await Within.AMinuteAsync(Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
        {
            foreach (PileKey key in keys)
            {
                Assert.Equal([7], await table.GetAsync(key));
            }
        }))), "all calls");

        Assert.Equal(64, connections.Count);
        Assert.All(connections, static key => Assert.Single(key.Value));
        Assert.True(connections.SelectMany(static key => key.Value.Keys).Distinct().Count() > 1, "All went over one connection.");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ReadsGoOnWhileTheServerHoldsChangesBeTheyTheFirstOfTheirStreamOrNot(bool wasAnswered)
    {
        const int Set = 2;
        int held = 0;
        await using ServerDouble server = await ServerDouble.StartAsync(async (requests, replies, context) =>
        {
            // As the server does: what comes over a stream is done one after the other.
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                if (request.Kind == Set)
                {
                    _ = Interlocked.Increment(ref held);
                    await new TaskCompletionSource().Task.WaitAsync(context.RequestAborted);
                }

                await replies.WriteAsync(ServerDouble.Values(request.Id, request.Keys, 7));
                await replies.FlushAsync();
            }
        });
        PileClient client = Client(server.Address);
        if (wasAnswered)
        {
            Assert.Equal([7], await client.Table().GetAsync("first"));
        }

        Task[] changes = [.. Enumerable.Range(0, 4).Select(number => client.Table().SetAsync($"set {number}", new byte[1]).AsTask())];
        await Within.UntilAsync(() => Task.FromResult(Volatile.Read(ref held) > 0), "the server holds a change");
        List<Task<byte[]?>> early = [];
        await Within.UntilAsync(
            async () =>
            {
                // Those that come before the client has noticed wait too.
                early.Add(client.Table().GetAsync("early").AsTask());
                return await Task.WhenAny(early[^1], new TaskCompletionSource().Task.WaitAsync(TimeSpan.FromMilliseconds(400))) == early[^1];
            },
            "a read goes around the change");
        for (int number = 0; number < 4; number++)
        {
            Assert.Equal([7], await Within.AMinuteAsync(client.Table().GetAsync($"set {number}").AsTask(), "a read"));
        }

        Assert.All(changes, static change => Assert.False(change.IsCompleted));
        await client.DisposeAsync();
        foreach (Task call in (Task[])[.. changes, .. early[..^1]])
        {
            _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => Within.AMinuteAsync(call, "the end of a call behind a change"));
        }
    }

    [Fact]
    public async Task AStreamThatLeavesABatchUnansweredIsReplacedHoweverLivelyItIs()
    {
        int streams = 0;
        await using ServerDouble server = await ServerDouble.StartAsync(async (requests, replies, context) =>
        {
            _ = Interlocked.Increment(ref streams);
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                if (!request.KeyText.Contains("never", StringComparison.Ordinal))
                {
                    await replies.WriteAsync(ServerDouble.Values(request.Id, request.Keys, 7));
                    await replies.FlushAsync();
                }
            }
        });
        await using PileClient client = Client(server.Address, TimeSpan.FromMilliseconds(500));
        PileClientTable table = client.Table();
        Task<byte[]?> never = table.GetAsync("never").AsTask();

        await Within.UntilAsync(
            async () =>
            {
                // The other calls may be late on a busy machine.
                _ = await Record.ExceptionAsync(async () => await table.GetAsync("a"));
                return Volatile.Read(ref streams) > 1;
            },
            "another stream is there");
        PileClientException late = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(never, "the call without an answer"));
        Assert.Equal(StatusCode.DeadlineExceeded, late.Code);
    }

    [Fact]
    public async Task AClientThatWasRefusedAStreamAsksAgainAfterAWhile()
    {
        int streams = 0;
        bool isRefused = true;
        int unary = 0;
        await using ServerDouble server = await ServerDouble.StartAsync(
            async (requests, replies, context) =>
            {
                _ = Interlocked.Increment(ref streams);
                if (isRefused)
                {
                    await ServerDouble.EndAsync(context, StatusCode.PermissionDenied);
                    return;
                }

                while (await ServerDouble.ReadAsync(requests) is { } request)
                {
                    await replies.WriteAsync(ServerDouble.Values(request.Id, request.Keys, 7));
                    await replies.FlushAsync();
                }
            },
            async context =>
            {
                _ = Interlocked.Increment(ref unary);
                await ServerDouble.EndAsync(context, StatusCode.NotFound, PileStatus.Refused);
            });
        var clock = new AheadClock();
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, TimeProvider = clock, Deadline = Timeout.InfiniteTimeSpan });
        for (int call = 0; call < 3; call++)
        {
            PileClientException missing = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.Table().GetAsync("a").AsTask(), "a call by itself"));
            Assert.Equal(StatusCode.NotFound, missing.Code);
        }

        Assert.Equal((1, 3), (streams, unary));
        isRefused = false;
        clock.PutAhead(TimeSpan.FromMinutes(1));
        Assert.Equal([7], await Within.AMinuteAsync(client.Table().GetAsync("a").AsTask(), "a call over a stream"));
        Assert.Equal((2, 3), (streams, unary));
    }

    [Fact]
    public async Task ABatchOfCallsThatIsTriedAgainByItselfLeavesOutWhatHasEnded()
    {
        int asked = 0;
        using var cancels = new CancellationTokenSource();
        await using ServerDouble server = await ServerDouble.StartAsync(
            static (_, _, context) => ServerDouble.EndAsync(context, StatusCode.Unimplemented),
            async context =>
            {
                BatchSeen seen = await ServerDouble.ReadManyAsync(context.Request.Body);
                if (seen.KeyText.Contains("<0>", StringComparison.Ordinal))
                {
                    _ = Interlocked.Increment(ref asked);
                    await cancels.CancelAsync();
                    await ServerDouble.EndAsync(context, StatusCode.Unavailable, PileStatus.Disposed);
                    return;
                }

                await context.Response.Body.WriteAsync(ServerDouble.ManyValues(seen.Keys, 7));
                await ServerDouble.EndAsync(context, StatusCode.OK);
            });
        await using PileClient client = Client(server.Address);
        Task<byte[]?>[] calls = [.. Enumerable.Range(0, 4).Select(number => client.Table().GetAsync($"<{number}>", number == 0 ? cancels.Token : CancellationToken.None).AsTask())];

        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(calls[0], "the cancelled call"));
        for (int number = 1; number < calls.Length; number++)
        {
            Assert.Equal([7], await Within.AMinuteAsync(calls[number], "another call"));
        }

        Assert.Equal(1, asked);
    }

    [Fact]
    public async Task WithoutADeadlineAServerThatSaysNothingIsGivenUp()
    {
        using var listener = new Socket(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        await using var client = new PileClient(new PileClientOptions
        {
            Address = string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{((IPEndPoint)listener.LocalEndPoint!).Port}"),
            Deadline = Timeout.InfiniteTimeSpan,
            KeepAlive = TimeSpan.FromSeconds(1),
            RetriesMax = 0,
        });

        PileClientException silent = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.Table().GetAsync("a").AsTask(), "the end of a call that nobody answers"));
        Assert.Equal((StatusCode.Unavailable, true), (silent.Code, silent.IsRetrySafe));
    }

    private static PileClient Client(string address, TimeSpan? deadline = null) => new(new PileClientOptions { Address = address, Deadline = deadline ?? TimeSpan.FromMinutes(1) });
}
