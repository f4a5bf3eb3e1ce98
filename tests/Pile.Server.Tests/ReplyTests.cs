using System;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Replies that clients have not taken yet are counted.</summary>
public sealed class ReplyTests
{
    private const int ValueBytes = 4 << 20;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Get")]
    [InlineData("GetMany")]
    public async Task AReplyCountsUntilItsClientHasTakenIt(string method)
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=268435456");
        await StoreAsync(server);
        ReplyBudget budget = server.Services.GetRequiredService<ReplyBudget>();
        byte[] message = method == "Get" ? new V1.GetRequest { Key = Batches.Bytes("large") }.ToByteArray() : Batches.Get(1, "large").ToByteArray();

        // A window of 64 KiB, and nobody reads.
        using var client = new HttpClient(new SocketsHttpHandler { InitialHttp2StreamWindowSize = 65_535 });
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(new Uri(server.Address), "pile.v1.Entries/" + method)) { Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact };
        request.Content = new ByteArrayContent([0, 0, 0, 0, (byte)message.Length, .. message]);
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        request.Headers.Add("te", "trailers");
        using HttpResponseMessage response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancel).WaitAsync(Soon.Longest, Cancel);
        Assert.Equal(ValueBytes - ServerLimits.ReplyFreeBytes, budget.TakenBytes);
        Assert.Equal((ulong)budget.TakenBytes, (await server.Tables.StatsAsync(new V1.StatsRequest())).ReplyingBytes);

        byte[] all = await response.Content.ReadAsByteArrayAsync(Cancel).WaitAsync(Soon.Longest, Cancel);
        Assert.InRange(all.Length, ValueBytes, ValueBytes + 100);
        await Soon.HoldsAsync(() => budget.TakenBytes == 0, "the reply that was read counts no more");
    }

    [Fact]
    public async Task RepliesBeyondTheBudgetAreRefusedAndSmallOnesAreNot()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=268435456");
        await StoreAsync(server);
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("small"), Value = Batches.Bytes("value") });
        ReplyBudget budget = server.Services.GetRequiredService<ReplyBudget>();
        budget.Take(budget.BytesMax);
        Func<Task>[] calls =
        [
            async () => await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("large") }),
            async () => await server.Entries.GetManyAsync(Batches.Get(1, "large")),
            async () => await server.Entries.GetOrLeaseAsync(new V1.GetOrLeaseRequest { Key = Batches.Bytes("large") }),
            async () => await server.Entries.ScanAsync(new V1.ScanRequest { PageBytesMax = 8 << 20 }),
            async () => await server.Entries.GetLarge(new V1.GetLargeRequest { Key = Batches.Bytes("large") }).ResponseStream.MoveNext(Cancel),
        ];
        foreach (Func<Task> call in calls)
        {
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, call);
            Assert.Equal((V1.PileStatus.Busy, 100ul), (refused.Status, refused.RetryAfterMs));
        }

        Assert.Equal("value", (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("small") })).Value.ToStringUtf8());
        using AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> stream = server.Entries.Batches(deadline: TimeProvider.System.GetUtcNow().UtcDateTime + Soon.Longest);
        V1.BatchReply reply = await AskAsync(stream, new V1.BatchRequest { Get = Batches.Get(1, "large") });
        Assert.Equal(((uint)StatusCode.ResourceExhausted, V1.PileStatus.Busy), (reply.Failure.Code, reply.Failure.Error.Status));
        budget.Give(budget.BytesMax);
        Assert.Equal(ValueBytes, (await AskAsync(stream, new V1.BatchRequest { Get = Batches.Get(2, "large") })).Values.Values.Length);
        foreach (Func<Task> call in calls)
        {
            await call();
        }

        await Soon.HoldsAsync(() => budget.TakenBytes == 0, "what was read counts no more");
    }

    private static async Task StoreAsync(TestServer server) =>
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("large"), Value = ByteString.CopyFrom(new byte[ValueBytes]) });

    private static async Task<V1.BatchReply> AskAsync(AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> stream, V1.BatchRequest request)
    {
        await stream.RequestStream.WriteAsync(request, Cancel);
        Assert.True(await stream.ResponseStream.MoveNext(Cancel));
        return stream.ResponseStream.Current;
    }
}
