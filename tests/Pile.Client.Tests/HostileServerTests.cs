using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Servers that answer late, wrongly, in another order, with more than is known, or not at all.</summary>
public sealed class HostileServerTests
{
    private static readonly byte[] _one = [1];

    [Fact]
    public async Task UnknownFieldsAndUnpackedListsAndBytesOneByOneAreRead()
    {
        await using ServerDouble server = await ServerDouble.StartAsync(static async (requests, replies, _) =>
        {
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                byte[] reply = ServerDouble.Values(request.Id, request.Keys, 7, static output =>
                {
                    output.WriteTag(99, WireFormat.WireType.LengthDelimited);
                    output.WriteString("of a later version");
                    output.WriteTag(100, WireFormat.WireType.Fixed64);
                    output.WriteFixed64(5);
                });
                foreach (byte part in reply)
                {
                    await replies.WriteAsync(new[] { part });
                    await replies.FlushAsync();
                }
            }
        });
        await using PileClient client = Client(server.Address);

        Assert.Equal([7], await client.Table().GetAsync("a"));
        Assert.Equal([7], await client.Table().GetAsync("b"));
    }

    [Fact]
    public async Task RepliesInAnotherOrderFindTheirCallers()
    {
        await using ServerDouble server = await ServerDouble.StartAsync(static async (requests, replies, _) =>
        {
            // Two at a time, the second first. A value is the number of its request.
            var held = new List<BatchSeen>();
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                held.Add(request);
                if (held.Count == 2)
                {
                    foreach (BatchSeen seen in Enumerable.Reverse(held))
                    {
                        await replies.WriteAsync(ServerDouble.Values(seen.Id, seen.Keys, (byte)seen.Id));
                    }

                    await replies.FlushAsync();
                    held.Clear();
                }
            }
        });
        await using PileClient client = Client(server.Address);

        // Of another table is another batch: both are under way.
        Task<byte[]?> first = client.Table("one").GetAsync("a").AsTask();
        Task<byte[]?> second = client.Table("two").GetAsync("a").AsTask();
        Assert.Equal([1], await Within.AMinuteAsync(first, "the first reply"));
        Assert.Equal([2], await Within.AMinuteAsync(second, "the second reply"));
    }

    [Theory]
    [InlineData("another count")]
    [InlineData("outcomes for values")]
    [InlineData("lengths beyond the values")]
    [InlineData("nobody's number")]
    [InlineData("no message")]
    [InlineData("compressed")]
    [InlineData("endless")]
    [InlineData("empty")]
    public async Task AWrongReplyIsATypedFailureAndTheNextCallIsServed(string wrong)
    {
        bool isWrong = true;
        await using ServerDouble server = await ServerDouble.StartAsync(async (requests, replies, _) =>
        {
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                await replies.WriteAsync(isWrong ? Wrong(wrong, request.Id) : ServerDouble.Values(request.Id, request.Keys, 7));
                await replies.FlushAsync();
            }
        });
        await using PileClient client = Client(server.Address);
        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(async () => await client.Table().GetAsync("a"));
        Assert.Equal((StatusCode.Internal, PileStatus.Format, server.Address), (failure.Code, failure.Status, failure.Endpoint));

        isWrong = false;
        Assert.Equal([7], await client.Table().GetAsync("a"));
    }

    [Fact]
    public async Task ASlowServerIsADeadlineAndSpoilsNoOtherCall()
    {
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServerDouble server = await ServerDouble.StartAsync(async (requests, replies, context) =>
        {
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                await go.Task.WaitAsync(context.RequestAborted);
                await replies.WriteAsync(ServerDouble.Values(request.Id, request.Keys, 7));
                await replies.FlushAsync();
            }
        });
        await using PileClient client = Client(server.Address, TimeSpan.FromMilliseconds(200));
        PileClientException late = await Assert.ThrowsAsync<PileClientException>(async () => await client.Table().GetAsync("a"));
        Assert.Equal((StatusCode.DeadlineExceeded, true), (late.Code, late.IsRetrySafe));

        go.SetResult();
        await Within.UntilAsync(async () => await Record.ExceptionAsync(async () => await client.Table().GetAsync("b")) is null, "the server is quick again");
    }

    [Fact]
    public async Task ACancelledCallSpoilsNoneOfItsBatch()
    {
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServerDouble server = await ServerDouble.StartAsync(async (requests, replies, _) =>
        {
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                await go.Task;
                await replies.WriteAsync(ServerDouble.Values(request.Id, request.Keys, (byte)request.Keys));
                await replies.FlushAsync();
            }
        });
        await using PileClient client = Client(server.Address);
        using var cancels = new CancellationTokenSource();
        Task<byte[]?> alone = client.Table().GetAsync("alone", CancellationToken.None).AsTask();
        Task<byte[]?>[] calls = [.. Enumerable.Range(0, 20).Select(number => client.Table().GetAsync($"{number}", number % 2 == 0 ? cancels.Token : CancellationToken.None).AsTask())];
        await cancels.CancelAsync();
        for (int number = 0; number < calls.Length; number += 2)
        {
            OperationCanceledException told = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(calls[number], "the cancelled call"));
            Assert.Equal(cancels.Token, told.CancellationToken);
        }

        go.SetResult();
        Assert.NotNull(await Within.AMinuteAsync(alone, "the call before"));
        for (int number = 1; number < calls.Length; number += 2)
        {
            Assert.NotNull(await Within.AMinuteAsync(calls[number], "a call that was not cancelled"));
        }
    }

    [Fact]
    public async Task AConnectionThatIsOpenOnOneSideOnlyEndsInADeadlineAndIsReplaced()
    {
        // Accepts and says nothing, as a machine does that was cut off.
        using var listener = new Socket(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        int accepted = 0;
        Task accepting = Task.Run(async () =>
        {
            var held = new List<Socket>();
            try
            {
                while (true)
                {
                    held.Add(await listener.AcceptAsync());
                    _ = Interlocked.Increment(ref accepted);
                }
            }
            catch (SocketException)
            {
                held.ForEach(static socket => socket.Dispose());
            }
        });
        await using (PileClient client = Client($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndPoint!).Port}", TimeSpan.FromMilliseconds(200)))
        {
            await Within.UntilAsync(
                async () =>
                {
                    PileClientException late = await Assert.ThrowsAsync<PileClientException>(async () => await client.Table().GetAsync("a"));
                    Assert.True(late.Code is StatusCode.DeadlineExceeded or StatusCode.Unavailable, late.ToString());
                    return Volatile.Read(ref accepted) > 1;
                },
                "another connection is tried");
        }

        listener.Dispose();
        await Within.AMinuteAsync(accepting, "the listener's end");
    }

    [Fact]
    public async Task DisposalEndsCallsInFlight()
    {
        await using ServerDouble server = await ServerDouble.StartAsync(static async (requests, _, _) =>
        {
            while (await ServerDouble.ReadAsync(requests) is not null)
            {
            }
        });
        PileClient client = Client(server.Address, TimeSpan.FromMinutes(1));
        PileClientTable table = client.Table();
        Task[] calls = [.. Enumerable.Range(0, 64).Select(number => (number % 3) switch
        {
            0 => table.GetAsync($"{number}").AsTask(),
            1 => table.SetAsync($"{number}", _one).AsTask(),
            _ => (Task)table.RemoveAsync($"{number}").AsTask(),
        })];
        await client.DisposeAsync();
        foreach (Task call in calls)
        {
            _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => Within.AMinuteAsync(call, "a call's end"));
        }
    }

    private static byte[] Wrong(string what, ulong id) => what switch
    {
        "another count" => ServerDouble.Values(id, 3, 7),
        "outcomes for values" => ServerDouble.Framed(output =>
        {
            output.WriteTag(1, WireFormat.WireType.Varint);
            output.WriteUInt64(id);
            output.WriteTag(2, WireFormat.WireType.Varint);
            output.WriteUInt32(0);
        }, field: 2),
        "lengths beyond the values" => ServerDouble.Framed(output =>
        {
            output.WriteTag(1, WireFormat.WireType.Varint);
            output.WriteUInt64(id);
            output.WriteTag(2, WireFormat.WireType.Varint);
            output.WriteUInt32(uint.MaxValue);
        }),
        "nobody's number" => ServerDouble.Values(id + 1000, 1, 7),
        "no message" => [0, 0, 0, 0, 2, 0xFF, 0xFF],
        "compressed" => [1, .. ServerDouble.Values(id, 1, 7)[1..]],
        "endless" => [0, 0xFF, 0xFF, 0xFF, 0xFF],
        _ => [0, 0, 0, 0, 0],
    };

    private static PileClient Client(string address, TimeSpan? deadline = null) => new(new PileClientOptions { Address = address, Deadline = deadline ?? TimeSpan.FromMinutes(1) });
}
