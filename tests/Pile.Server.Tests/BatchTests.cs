using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Batches, one by one and on a stream.</summary>
public sealed class BatchTests : IDisposable
{
    // Streams that go on have no deadline, which would be another way through the server: this ends the ones that hang.
    private readonly CancellationTokenSource _late = new(TimeSpan.FromMinutes(1));

    private CancellationToken Cancel => _late.Token;

    public void Dispose() => _late.Dispose();

    [Fact]
    public async Task ABatchIsDoneItemByItem()
    {
        await using TestServer server = await TestServer.StartAsync();
        V1.OutcomeBatch stored = await server.Entries.SetManyAsync(Batches.Set(7, ("a", "1"), ("bb", ""), ("a", "3")));
        Assert.Equal(7ul, stored.Id);
        Assert.Equal([V1.Outcome.Inserted, V1.Outcome.Inserted, V1.Outcome.Replaced], stored.Outcomes);

        V1.ValueBatch values = await server.Entries.GetManyAsync(Batches.Get(8, "bb", "c", "a", "a"));
        Assert.Equal(8ul, values.Id);
        Assert.Equal<string?[]>(["", null, "3", "3"], Batches.Values(values));

        V1.OutcomeBatch removed = await server.Entries.RemoveManyAsync(Batches.Remove(9, "a", "a"));
        Assert.Equal([V1.Outcome.Removed, V1.Outcome.Missing], removed.Outcomes);
        Assert.Empty((await server.Entries.GetManyAsync(new V1.GetBatch())).ValueLengths);
    }

    [Fact]
    public async Task ManyKeysOfAllLengthsComeBackInTheirOrder()
    {
        await using TestServer server = await TestServer.StartAsync();
        var random = new Random(5);
        (string Key, string Value)[] items = [.. Enumerable.Range(0, 2_000).Select(number => ($"{number}:" + new string('k', random.Next(300)), new string('v', random.Next(100)) + number))];
        _ = await server.Entries.SetManyAsync(Batches.Set(1, items));

        (string Key, string Value)[] asked = [.. items.OrderBy(_ => random.Next())];
        Assert.Equal(asked.Select(static item => item.Value), Batches.Values(await server.Entries.GetManyAsync(Batches.Get(2, [.. asked.Select(static item => item.Key)]))));
    }

    [Fact]
    public async Task TermsOfABatchAreThoseOfAllItsEntries()
    {
        await using TestServer server = await TestServer.StartAsync();
        V1.SetBatch batch = Batches.Set(1, ("a", "1"), ("b", "2"));
        batch.Terms = new V1.EntryTerms { Tags = { "t" }, Priority = V1.Priority.High };
        _ = await server.Entries.SetManyAsync(batch);
        _ = await server.Entries.SetManyAsync(Batches.Set(1, ("c", "3")));
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "t" });

        Assert.Equal<string?[]>([null, null, "3"], Batches.Values(await server.Entries.GetManyAsync(Batches.Get(1, "a", "b", "c"))));
    }

    [Fact]
    public async Task ABatchThatCantBeChangesNothing()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:BatchItemsMax=3", "--PileServer:ValueBytesMax=10");
        V1.SetBatch few = Batches.Set(1, ("a", "1"), ("b", "2"));
        few.ValueLengths.RemoveAt(1);
        V1.SetBatch wrong = Batches.Set(1, ("a", "1"), ("b", "2"));
        wrong.KeyLengths[1] = 2;
        V1.SetBatch empty = Batches.Set(1, ("a", "1"));
        empty.KeyLengths.Add(0);
        empty.ValueLengths.Add(0);
        V1.SetBatch huge = Batches.Set(1, ("a", "1"));
        huge.KeyLengths[0] = uint.MaxValue;
        foreach (V1.SetBatch batch in new[] { few, wrong, empty })
        {
            _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.SetManyAsync(batch));
        }

        foreach (V1.SetBatch batch in new[] { huge, Batches.Set(1, ("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")), Batches.Set(1, ("a", "0123456789+")) })
        {
            Assert.Equal(V1.PileStatus.TooLarge, (await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.SetManyAsync(batch))).Status);
        }

        Assert.Equal<string?[]>([null, null], Batches.Values(await server.Entries.GetManyAsync(Batches.Get(1, "a", "b"))));
    }

    [Fact]
    public async Task AReplyBeyondTheLimitOfMessagesIsRefused()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:MessageBytesMax=65536");
        _ = await server.Entries.SetManyAsync(Batches.Set(1, ("a", new string('a', 40_000))));
        foreach (string[] keys in (string[][])[["a", "a"], ["a", "a", "none", "none"]])
        {
            V1.ErrorDetail detail = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.GetManyAsync(Batches.Get(1, keys)));
            Assert.Contains("the first 1 fit", detail.Text, StringComparison.Ordinal);
        }

        Assert.Equal(40_000, (await server.Entries.GetManyAsync(Batches.Get(1, "a"))).Values.Length);
    }

    [Fact]
    public async Task AStreamAnswersEachBatchAndOutlivesThoseThatFail()
    {
        await using TestServer server = await TestServer.StartAsync();
        using AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> call = server.Entries.Batches(cancellationToken: Cancel);
        _ = await call.ResponseHeadersAsync;
        V1.GetBatch lost = Batches.Get(3, "a");
        lost.Table = "nothing";
        V1.BatchRequest[] requests =
        [
            new() { Set = Batches.Set(1, ("a", "1")) },
            new() { Get = Batches.Get(2, "a", "b") },
            new() { Get = lost },
            new(),
            new() { Remove = Batches.Remove(5, "a") },
        ];
        foreach (V1.BatchRequest request in requests)
        {
            await call.RequestStream.WriteAsync(request, Cancel);
        }

        var replies = new List<V1.BatchReply>();
        while (replies.Count < requests.Length && await call.ResponseStream.MoveNext(Cancel))
        {
            replies.Add(call.ResponseStream.Current);
        }

        Assert.Equal([V1.Outcome.Inserted], replies.Single(static reply => reply.Outcomes?.Id == 1).Outcomes.Outcomes);
        Assert.Equal<string?[]>(["1", null], Batches.Values(replies.Single(static reply => reply.Values?.Id == 2).Values));
        V1.BatchFailure failure = replies.Single(static reply => reply.Failure?.Id == 3).Failure;
        Assert.Equal(((uint)StatusCode.NotFound, V1.PileStatus.Refused, 0u), (failure.Code, failure.Error.Status, failure.Done));
        Assert.Equal((uint)StatusCode.InvalidArgument, replies.Single(static reply => reply.Failure?.Id == 0).Failure.Code);
        Assert.Equal([V1.Outcome.Removed], replies.Single(static reply => reply.Outcomes?.Id == 5).Outcomes.Outcomes);
        await call.RequestStream.CompleteAsync();
        Assert.False(await call.ResponseStream.MoveNext(Cancel));
        Assert.Equal(StatusCode.OK, call.GetStatus().StatusCode);
    }

    [Fact]
    public async Task WhatAStreamReadsLateIsAllThereAndOthersAreServedMeanwhile()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=134217728");
        _ = await server.Entries.SetManyAsync(Batches.Set(1, ("a", new string('a', 1 << 20))));
        using AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> slow = server.Entries.Batches(cancellationToken: Cancel);
        _ = await slow.ResponseHeadersAsync;
        var asked = new V1.BatchRequest { Get = Batches.Get(1, "a") };
        for (int batch = 0; batch < 20; batch++)
        {
            await slow.RequestStream.WriteAsync(asked, Cancel);
        }

        Assert.Equal("v", await GetAsync(server));
        int replies = 0;
        while (replies < 20 && await slow.ResponseStream.MoveNext(Cancel))
        {
            Assert.Equal(1 << 20, slow.ResponseStream.Current.Values.Values.Length);
            replies++;
        }

        Assert.Equal(20, replies);
    }

    [Fact]
    public async Task AMessageThatIsNoBatchEndsTheStreamAndAnUnknownMethodHasNoDetail()
    {
        await using TestServer server = await TestServer.StartAsync();
        Marshaller<byte[]> bytes = new(static value => value, static value => value);
        var method = new Method<byte[], byte[]>(MethodType.DuplexStreaming, "pile.v1.Entries", "Batches", bytes, bytes);
        using AsyncDuplexStreamingCall<byte[], byte[]> call = server.Channel.CreateCallInvoker().AsyncDuplexStreamingCall(method, null, new CallOptions(cancellationToken: Cancel));
        await call.RequestStream.WriteAsync([0x0A, 0x7F], Cancel);
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.InvalidArgument, () => call.ResponseStream.MoveNext(Cancel).WaitAsync(Soon.Longest, Cancel));
        Assert.Contains("no protobuf message", refused.Text, StringComparison.Ordinal);

        var unknown = new Method<byte[], byte[]>(MethodType.Unary, "pile.v1.Entries", "Nothing", bytes, bytes);
        using AsyncUnaryCall<byte[]> asked = server.Channel.CreateCallInvoker().AsyncUnaryCall(unknown, null, new CallOptions(cancellationToken: Cancel), []);
        RpcException failure = await Assert.ThrowsAsync<RpcException>(() => asked.ResponseAsync.WaitAsync(Soon.Longest, Cancel));
        Assert.Equal((StatusCode.Unimplemented, null), (failure.StatusCode, failure.Trailers.Get("pile-error-bin")));
    }

    private static async Task<string> GetAsync(TestServer server)
    {
        V1.Entries.EntriesClient other = new(server.Open());
        _ = await other.SetAsync(new V1.SetRequest { Key = Batches.Bytes("k"), Value = Batches.Bytes("v") });
        return (await other.GetAsync(new V1.GetRequest { Key = Batches.Bytes("k") })).Value.ToStringUtf8();
    }
}
