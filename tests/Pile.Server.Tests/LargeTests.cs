using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache.Tests.Model;
using Pile.Hosting.Tests;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Large values of clients that promise much, are slow, or meet the server's stop.</summary>
public sealed class LargeTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task WhatIsAnnouncedCostsNothingUntilItComes()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=268435456");
        ReceiveBudget budget = server.Services.GetRequiredService<ReceiveBudget>();
        AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply>[] idle = [.. Enumerable.Range(0, 8).Select(_ => server.Entries.SetLarge(cancellationToken: Cancel))];
        foreach (AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call in idle)
        {
            await call.RequestStream.WriteAsync(Head(64 << 20, 1), Cancel);
        }

        await Soon.HoldsAsync(() => budget.TakenBytes == idle.Length, "a byte of each has come");
        await idle[0].RequestStream.WriteAsync(new V1.SetLargeRequest { Chunk = ByteString.CopyFrom(new byte[ServerLimits.ChunkBytes]) }, Cancel);
        await Soon.HoldsAsync(() => budget.TakenBytes > ServerLimits.ChunkBytes, "a chunk of one has come");
        Assert.InRange(budget.TakenBytes, 0, 4 * ServerLimits.ChunkBytes);
        Array.ForEach(idle, static call => call.Dispose());
        await Soon.HoldsAsync(() => budget.TakenBytes == 0, "calls that were given up count no more");
    }

    [Fact]
    public async Task AValueThatStandsStillIsEnded()
    {
        var clock = new ManualClock();
        await using TestServer server = await TestServer.StartAsync(new RecordedLog(), builder => builder.Services.AddSingleton<TimeProvider>(clock));
        ReceiveBudget budget = server.Services.GetRequiredService<ReceiveBudget>();
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel);
        await call.RequestStream.WriteAsync(Head(100, 1), Cancel);
        await Soon.HoldsAsync(() => budget.TakenBytes == 1, "the head has come");
        clock.Move(ServerLimits.LargeIdle + TimeSpan.FromMinutes(1));
        V1.ErrorDetail late = await Failure.OfAsync(StatusCode.DeadlineExceeded, () => call.ResponseAsync.WaitAsync(Soon.Longest, Cancel));
        Assert.Equal(V1.PileStatus.Busy, late.Status);
        Assert.Equal(0, budget.TakenBytes);
        Assert.False((await server.Entries.RefreshAsync(new V1.RefreshRequest { Key = Batches.Bytes("large") })).Found);
    }

    [Fact]
    public void WhoSendsHasMoreTime()
    {
        var clock = new ManualClock();
        using var pace = new LargePace(clock, CancellationToken.None, CancellationToken.None);
        pace.Allow(60L * ServerLimits.LargeBytesPerSecondMin);
        clock.Move(ServerLimits.LargeIdle + TimeSpan.FromSeconds(30));
        Assert.False(pace.Ends.IsCancellationRequested);
        clock.Move(TimeSpan.FromSeconds(31));
        Assert.True(pace.IsReason(new OperationCanceledException()));
        Assert.Equal(StatusCode.DeadlineExceeded, pace.Failure().StatusCode);
    }

    /// <summary>A write that is late ends its call.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ACallThatHasEndedBecauseItWasLateIsToldAsLate(bool isLate)
    {
        var clock = new ManualClock();
        using var call = new CancellationTokenSource();
        using var pace = new LargePace(clock, call.Token, CancellationToken.None);
        if (isLate)
        {
            clock.Move(ServerLimits.LargeIdle);
        }

        call.Cancel();
        Assert.Equal(isLate, pace.IsReason(new OperationCanceledException()));
    }

    [Fact]
    public async Task AStopEndsWhatIsNotThereAsAWhole()
    {
        await using TestServer server = await TestServer.StartAsync();
        ReceiveBudget budget = server.Services.GetRequiredService<ReceiveBudget>();
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel);
        await call.RequestStream.WriteAsync(Head(100, 1), Cancel);
        await Soon.HoldsAsync(() => budget.TakenBytes == 1, "the head has come");
        await server.StopAsync(Cancel).WaitAsync(Soon.Longest, Cancel);
        RpcException told = await Assert.ThrowsAsync<RpcException>(() => call.ResponseAsync.WaitAsync(Soon.Longest, Cancel));
        Assert.True(Failure.IsOfStop(told), told.ToString());
    }

    [Fact]
    public async Task AMessageOfAChunkIsNoLargerThanAChunkAndAHead()
    {
        await using TestServer server = await TestServer.StartAsync();

        // Field 15, of 8 MB: in no message of these.
        byte[] unknown = [(15 << 3) | 2, 0x80, 0xA4, 0xE8, 0x03, .. new byte[8_000_000]];
        V1.SetLargeRequest large = V1.SetLargeRequest.Parser.ParseFrom(unknown);
        large.Head = Head(1, 1).Head;
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel);
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () =>
        {
            try
            {
                await WriteAsync(call, large);
            }
            catch (RpcException)
            {
                // Refused before all of it was sent: the answer says why.
            }

            _ = await call.ResponseAsync.WaitAsync(Soon.Longest, Cancel);
        });
        Assert.Equal(V1.PileStatus.TooLarge, refused.Status);
        Assert.Contains("in chunks", refused.Text, StringComparison.Ordinal);
        Assert.Equal(0, server.Services.GetRequiredService<ReceiveBudget>().TakenBytes);
    }

    [Theory]
    [InlineData(8, true)]
    [InlineData(10, false)]
    [InlineData(12, false)]
    [InlineData(20, false)]
    public async Task AValueForWhichThereCanNeverBeRoomIsTooLargeAndNotToBeTriedAgain(int mebibytes, bool isStored)
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:ReceiveBudgetBytes=16MiB", "--memory-limit=268435456");
        if (isStored)
        {
            Assert.Equal(V1.Outcome.Inserted, await SetAsync(server, mebibytes << 20));
        }
        else
        {
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, () => SetAsync(server, mebibytes << 20));
            Assert.Equal((V1.PileStatus.TooLarge, 0ul), (refused.Status, refused.RetryAfterMs));
            Assert.Contains("ReceiveBudgetBytes", refused.Text, StringComparison.Ordinal);
            Assert.Contains("ValueBytesMax", refused.Text, StringComparison.Ordinal);
        }

        await Soon.HoldsAsync(() => server.Services.GetRequiredService<ReceiveBudget>().TakenBytes == 0, "nothing is received");
    }

    [Fact]
    public async Task AValueThatNoReplyEverHasRoomForIsTooLargeAndNotToBeTriedAgain()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:ReplyBudgetBytes=16MiB", "--memory-limit=268435456");
        Assert.Equal(V1.Outcome.Inserted, await SetAsync(server, 20 << 20));
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () =>
        {
            using AsyncServerStreamingCall<V1.ValueChunk> call = server.Entries.GetLarge(new V1.GetLargeRequest { Key = Batches.Bytes("large") }, cancellationToken: Cancel);
            _ = await call.ResponseStream.MoveNext(Cancel);
        });
        Assert.Equal((V1.PileStatus.TooLarge, 0ul), (refused.Status, refused.RetryAfterMs));
        Assert.Contains("ReplyBudgetBytes", refused.Text, StringComparison.Ordinal);
    }

    // As clients cut it.
    private static async Task<V1.Outcome> SetAsync(TestServer server, int length)
    {
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel);
        try
        {
            for (int sent = 0; sent < length; sent += ServerLimits.ChunkBytes)
            {
                V1.SetLargeRequest message = Head(length, int.Min(ServerLimits.ChunkBytes, length - sent));
                message.Head = sent == 0 ? message.Head : null;
                await WriteAsync(call, message);
            }

            await call.RequestStream.CompleteAsync();
        }
        catch (Exception broken) when (broken is RpcException or InvalidOperationException)
        {
            // Refused before all of it was sent: the answer says why.
        }

        return (await call.ResponseAsync.WaitAsync(Soon.Longest, Cancel)).Outcome;
    }

    // Waits for the write, or for the answer: HttpClient may forget a write that meets the end of its call (docs/decisions/0074).
    private static async Task WriteAsync(AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call, V1.SetLargeRequest message)
    {
        Task write = call.RequestStream.WriteAsync(message, Cancel);
        if (await Task.WhenAny(write, call.ResponseAsync) == write)
        {
            await write;
        }
    }

    private static V1.SetLargeRequest Head(int length, int come) =>
        new() { Head = new V1.SetLargeHead { Key = Batches.Bytes("large"), ValueBytes = (ulong)length }, Chunk = ByteString.CopyFrom(new byte[come]) };
}
