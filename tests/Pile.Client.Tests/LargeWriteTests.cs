using System;
using System.IO;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Writes of a large value whose call ends meanwhile.</summary>
public sealed class LargeWriteTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public async Task TheAnswerEndsTheWaitForAWriteThatNeverEnds(int written)
    {
        var writer = new StuckWriter(written);
        var answer = new TaskCompletionSource<V1.SetReply>();
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = CallOf(writer, answer.Task);
        Task<(V1.Outcome, bool)> sending = LargeCalls.SendAsync(call, Head(10), static most => new ValueTask<ReadOnlyMemory<byte>>(new byte[most]), Cancel);
        await Within.AMinuteAsync(writer.IsStuck, "the write that never ends");
        Assert.False(sending.IsCompleted);

        answer.SetException(new RpcException(new Status(StatusCode.ResourceExhausted, "too large")));

        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => Within.AMinuteAsync(sending, "what was sent"));
        Assert.Equal(StatusCode.ResourceExhausted, refused.StatusCode);
        Assert.Equal(written + 1, writer.Begun);
        Assert.False(writer.IsEnded);
    }

    [Fact]
    public async Task AnAnswerBeforeAllIsWrittenLeavesTheLastChunkToTheWrite()
    {
        var writer = new StuckWriter(1);
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = CallOf(writer, Task.FromResult(new V1.SetReply { Outcome = V1.Outcome.Replaced }));
        (V1.Outcome outcome, bool isWhole) = await Within.AMinuteAsync(
            LargeCalls.SendAsync(call, Head(10), static most => new ValueTask<ReadOnlyMemory<byte>>(new byte[most]), Cancel), "what was sent");
        Assert.Equal((V1.Outcome.Replaced, false), (outcome, isWhole));
    }

    [Fact]
    public async Task WhatIsWrittenWholeIsSaidToBe()
    {
        var writer = new StuckWriter(int.MaxValue);
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = CallOf(writer, Task.FromResult(new V1.SetReply { Outcome = V1.Outcome.Inserted }));
        (V1.Outcome outcome, bool isWhole) = await Within.AMinuteAsync(
            LargeCalls.SendAsync(call, Head(10), static most => new ValueTask<ReadOnlyMemory<byte>>(new byte[most]), Cancel), "what was sent");
        Assert.Equal((V1.Outcome.Inserted, true, 10, true), (outcome, isWhole, writer.Begun, writer.IsEnded));
    }

    public static TheoryData<Exception> EndsOfWrites =>
    [
        new IOException("The request was aborted."),
        new HttpProtocolException(5, "The HTTP/2 server closed the connection. HTTP/2 error code 'STREAM_CLOSED' (0x5).", null),
        new HttpRequestException("An error occurred while sending the request."),
        new InvalidOperationException("Can't write the message because the call is complete."),
        new TaskCanceledException("The call was cancelled."),
        new RpcException(new Status(StatusCode.Cancelled, "The call was cancelled.")),
    ];

    [Theory]
    [MemberData(nameof(EndsOfWrites), DisableDiscoveryEnumeration = true)]
    public async Task HoweverAWriteEndsTheAnswerSaysWhy(Exception end)
    {
        var answer = new TaskCompletionSource<V1.SetReply>();
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = CallOf(new StuckWriter(2, end), answer.Task);
        Task<(V1.Outcome, bool)> sending = LargeCalls.SendAsync(call, Head(10), static most => new ValueTask<ReadOnlyMemory<byte>>(new byte[most]), new CancellationToken(canceled: true));
        answer.SetException(new RpcException(new Status(StatusCode.Unavailable, "it has gone")));

        RpcException failed = await Assert.ThrowsAsync<RpcException>(() => Within.AMinuteAsync(sending, "what was sent"));
        Assert.Equal(StatusCode.Unavailable, failed.StatusCode);
    }

    [Fact]
    public async Task WhatTheCallersStreamThrowsIsTheCallers()
    {
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = CallOf(new StuckWriter(int.MaxValue), new TaskCompletionSource<V1.SetReply>().Task);
        IOException thrown = await Assert.ThrowsAsync<IOException>(() => LargeCalls.SendAsync(call, Head(10), static _ => throw new IOException("the caller's"), Cancel));
        Assert.Equal("the caller's", thrown.Message);
    }

    private static V1.SetLargeHead Head(int chunks) => new() { ValueBytes = (ulong)chunks * ClientLimits.ChunkBytes };

    private static AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> CallOf(StuckWriter writer, Task<V1.SetReply> answer) =>
        new(writer, answer, Task.FromResult(new Metadata()), static () => Status.DefaultSuccess, static () => [], static () => { });

    /// <summary>Writes so many messages, and never ends the one after, or as it is told.</summary>
    private sealed class StuckWriter(int ended, Exception? end = null) : IClientStreamWriter<V1.SetLargeRequest>
    {
        private readonly TaskCompletionSource _stuck = new();

        public WriteOptions? WriteOptions { get; set; }

        internal int Begun { get; private set; }

        internal bool IsEnded { get; private set; }

        internal Task IsStuck => _stuck.Task;

        public Task WriteAsync(V1.SetLargeRequest message, CancellationToken cancellationToken) => WriteAsync(message);

        public Task WriteAsync(V1.SetLargeRequest message)
        {
            if (Begun++ < ended)
            {
                return Task.CompletedTask;
            }

            _ = _stuck.TrySetResult();
            return end is null ? new TaskCompletionSource().Task : Task.FromException(end);
        }

        public Task CompleteAsync()
        {
            IsEnded = true;
            return Task.CompletedTask;
        }
    }
}
