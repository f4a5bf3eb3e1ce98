using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>What is too large, too much at once, or becomes so.</summary>
public sealed class LimitTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task AMessageMayBeLongerThanKestrelTakesUnlessItIsTold()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:MessageBytesMax=67108864", "--memory-limit=268435456");
        var value = ByteString.CopyFrom(new byte[40_000_000]);
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = value });
        Assert.Equal(value, (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Value);
    }

    [Fact]
    public async Task AMessageBeyondTheLimitIsRefused()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:MessageBytesMax=100000");
        RpcException refused = await Assert.ThrowsAsync<RpcException>(async () => await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = ByteString.CopyFrom(new byte[100_000]) }));
        Assert.Equal(StatusCode.ResourceExhausted, refused.StatusCode);
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = ByteString.CopyFrom(new byte[99_000]) });
        Assert.Equal(99_000, (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Value.Length);
    }

    /// <summary>By its head alone, whoever reads it: gRPC's own sentence would name neither size nor limit nor way out.</summary>
    [Fact]
    public async Task AMessageBeyondTheLimitIsToldItsSizeTheLimitAndTheWayOut()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:MessageBytesMax=100000");
        foreach (int bytes in (int[])[100_000, 3_000_000])
        {
            var value = ByteString.CopyFrom(new byte[bytes]);
            V1.SetBatch batch = Batches.Set(1, ("a", new string('v', bytes)));
            Func<Task>[] calls =
            [
                async () => await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = value }),
                async () => await server.Entries.SetManyAsync(batch),
                async () => await server.Tables.DropAsync(new V1.DropTableRequest { Table = new string('t', bytes) }),
            ];
            foreach (Func<Task> call in calls)
            {
                V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, call);
                Assert.Equal(V1.PileStatus.TooLarge, refused.Status);
                Assert.Matches(@"^A message has [\d,]+ bytes; at most 100,000 are allowed \(MessageBytesMax\)\. Send less at once, or by SetLarge\.$", refused.Text);
            }
        }

        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Found);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task TheLongestKeyIsStoredAndALongerOneRefusedBeforeAnythingIsDone(bool isDurable)
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = new V1.TableOptions { Kind = isDurable ? V1.TableKind.Durable : V1.TableKind.Speculative } });
        string longest = new('k', ServerLimits.KeyBytesMax);
        _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t", Key = Batches.Bytes(longest), Value = Batches.Bytes("v") });
        Assert.Equal("v", (await server.Entries.GetAsync(new V1.GetRequest { Table = "t", Key = Batches.Bytes(longest) })).Value.ToStringUtf8());

        V1.SetBatch set = Batches.Set(1, ("before", "v"), (longest + "k", "v"));
        set.Table = "t";
        Assert.Equal(V1.PileStatus.TooLarge, (await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.SetManyAsync(set))).Status);
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Table = "t", Key = Batches.Bytes("before") })).Found);
    }

    [Fact]
    public async Task TheLongestTagsAreStoredAndALongerOneRefusedBeforeAnythingIsDone()
    {
        await using TestServer server = await TestServer.StartAsync();
        string longest = new('t', 15_360);
        ByteString key = Batches.Bytes("a");
        var terms = new V1.EntryTerms { Tags = { Enumerable.Range(0, 32).Select(number => $"{number:D2}{longest[2..]}") } };
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = key, Terms = terms });
        terms.Tags[31] += "t";
        var head = new V1.SetLargeRequest { Head = new V1.SetLargeHead { Key = key, Terms = terms } };
        Func<Task>[] calls =
        [
            async () => await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("b"), Terms = terms }),
            async () => await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Batches.Bytes("b"), Terms = terms }),
            async () =>
            {
                using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel);
                await call.RequestStream.WriteAsync(head, Cancel);
                await call.RequestStream.CompleteAsync();
                _ = await call;
            },
            async () => await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = longest + "t" }),
            async () => await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = longest + "t", AllTables = true }),
        ];
        foreach (Func<Task> call in calls)
        {
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, call);
            Assert.Equal((V1.PileStatus.TooLarge, "A tag has 15,361 bytes; at most 15,360 are allowed (TagBytesMax). Use a hash of it as the tag."), (refused.Status, refused.Text));
        }

        Assert.True((await server.Entries.GetAsync(new V1.GetRequest { Key = key })).Found);
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("b") })).Found);
        _ = await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = terms.Tags[0] });
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = key })).Found);
    }

    [Fact]
    public async Task AMessageThatUnpacksBeyondTheLimitIsRefused()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:MessageBytesMax=1000000");
        Metadata gzip = new() { { "grpc-internal-encoding-request", "gzip" } };
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = ByteString.CopyFrom(new byte[900_000]) }, gzip);
        Assert.Equal(900_000, (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Value.Length);
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("b"), Value = ByteString.CopyFrom(new byte[50_000_000]) }, gzip));
        Assert.Equal(V1.PileStatus.TooLarge, refused.Status);
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("b") })).Found);
    }

    [Fact]
    public async Task ManyLargeMessagesAtOnceStayWithinTheBudget()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:ReceiveBudgetBytes=16777216", "--memory-limit=268435456");
        ReceiveBudget budget = server.Services.GetRequiredService<ReceiveBudget>();
        V1.SetRequest[] requests = [.. Enumerable.Range(0, 40).Select(static number => new V1.SetRequest { Key = Batches.Bytes($"{number}"), Value = ByteString.CopyFrom(new byte[6_000_000]) })];
        long highest = 0;
        int refused = 0;
        await Task.WhenAll(requests.Select(async request =>
        {
            try
            {
                _ = await server.Entries.SetAsync(request);
            }
            catch (RpcException failure) when (failure.StatusCode == StatusCode.ResourceExhausted && failure.Trailers.GetValue(CallFailure.RetryTrailer) == "100")
            {
                _ = Interlocked.Increment(ref refused);
            }

            highest = long.Max(highest, budget.TakenBytes);
        }));

        // Each takes the budget as its bytes come, and gives it back when it is refused: the last one has all of it.
        Assert.InRange(refused, 0, 39);
        Assert.InRange(highest, 0, 16 << 20);
        Assert.Equal(0, budget.TakenBytes);
        Assert.Equal(40 - refused, await FoundAsync(server, 40));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ABudgetThatIsUsedUpRefusesAndIsGivenBack(bool isPacked)
    {
        Metadata headers = isPacked ? new() { { "grpc-internal-encoding-request", "gzip" } } : [];
        await using TestServer server = await TestServer.StartAsync();
        ReceiveBudget budget = server.Services.GetRequiredService<ReceiveBudget>();
        Assert.True(budget.TryTake(budget.BytesMax));
        var large = new V1.SetRequest { Key = Batches.Bytes("a"), Value = ByteString.CopyFrom(new byte[1 << 20]) };
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.SetAsync(large, headers));
        Assert.Equal((V1.PileStatus.Busy, 100ul), (refused.Status, refused.RetryAfterMs));
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("small") }, headers);
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Found);
        budget.Give(budget.BytesMax);
        _ = await server.Entries.SetAsync(large, headers);
        Assert.Equal(0, budget.TakenBytes);
    }

    [Fact]
    public async Task ALargeValueTravelsInChunks()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=268435456");
        byte[] value = new byte[(10 << 20) + 17];
        new Random(3).NextBytes(value);
        V1.SetReply stored = await SendAsync(server, value, value.Length);
        Assert.Equal(V1.Outcome.Inserted, stored.Outcome);

        var received = new List<byte>();
        using AsyncServerStreamingCall<V1.ValueChunk> call = server.Entries.GetLarge(new V1.GetLargeRequest { Key = Batches.Bytes("large") }, cancellationToken: Cancel);
        while (await call.ResponseStream.MoveNext(Cancel))
        {
            V1.ValueChunk chunk = call.ResponseStream.Current;
            Assert.Equal(received.Count == 0 ? (true, (ulong)value.Length) : (false, 0ul), (chunk.Found, chunk.ValueBytes));
            Assert.InRange(chunk.Chunk.Length, 1, ServerLimits.ChunkBytes);
            received.AddRange(chunk.Chunk.Span);
        }

        Assert.Equal(value, received.ToArray());
        Assert.Equal(0, server.Services.GetRequiredService<ReceiveBudget>().TakenBytes);
        using AsyncServerStreamingCall<V1.ValueChunk> missing = server.Entries.GetLarge(new V1.GetLargeRequest { Key = Batches.Bytes("nothing") }, cancellationToken: Cancel);
        Assert.True(await missing.ResponseStream.MoveNext(Cancel));
        Assert.False(missing.ResponseStream.Current.Found);
        Assert.False(await missing.ResponseStream.MoveNext(Cancel));
    }

    [Theory]
    [InlineData(5, 4)]
    [InlineData(5, 6)]
    public async Task ALargeValueOfAnotherLengthThanSaidIsNotStored(int bytes, int said)
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, () => SendAsync(server, new byte[bytes], said));
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("large") })).Found);
        Assert.Equal(0, server.Services.GetRequiredService<ReceiveBudget>().TakenBytes);
    }

    private static async Task<V1.SetReply> SendAsync(TestServer server, byte[] value, int said)
    {
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel);
        var head = new V1.SetLargeHead { Key = Batches.Bytes("large"), ValueBytes = (ulong)said };
        int at = 0;
        do
        {
            int chunk = int.Min(value.Length - at, ServerLimits.ChunkBytes);
            await call.RequestStream.WriteAsync(new V1.SetLargeRequest { Head = at == 0 ? head : null, Chunk = ByteString.CopyFrom(value, at, chunk) }, Cancel);
            at += chunk;
        }
        while (at < value.Length);

        await call.RequestStream.CompleteAsync();
        return await call;
    }

    private static async Task<int> FoundAsync(TestServer server, int keys)
    {
        int found = 0;
        for (int key = 0; key < keys; key++)
        {
            found += (await server.Entries.RefreshAsync(new V1.RefreshRequest { Key = Batches.Bytes($"{key}") })).Found ? 1 : 0;
        }

        return found;
    }
}
