using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>What a call keeps of its request while it lasts is little, or counted.</summary>
public sealed class KeptRequestTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AMessageWithMoreThanItsFieldsNeedIsRefusedByACallThatLasts(bool isPacked)
    {
        await using TestServer server = await TestServer.StartAsync();
        Metadata headers = isPacked ? new() { { "grpc-internal-encoding-request", "gzip" } } : [];
        DateTime deadline = TimeProvider.System.GetUtcNow().UtcDateTime + Soon.Longest;
        Func<Task>[] calls =
        [
            async () =>
            {
                using AsyncServerStreamingCall<V1.WatchReply> watch = server.Entries.Watch(With(new V1.WatchRequest(), 2 << 20), headers, deadline, Cancel);
                _ = await watch.ResponseStream.MoveNext(Cancel);
            },
            async () =>
            {
                using AsyncServerStreamingCall<V1.ValueChunk> large = server.Entries.GetLarge(With(new V1.GetLargeRequest { Key = Batches.Bytes("a") }, 2 << 20), headers, deadline, Cancel);
                _ = await large.ResponseStream.MoveNext(Cancel);
            },
            async () => await server.Entries.GetOrLeaseAsync(With(new V1.GetOrLeaseRequest { Key = Batches.Bytes("a") }, 2 << 20), headers),
            async () =>
            {
                using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> large = server.Entries.SetLarge(headers, deadline, Cancel);

                // Fails when the refusal is quicker; HttpClient may forget a write that meets the end of its call (docs/decisions/0074).
                await Task.WhenAny(large.RequestStream.WriteAsync(With(new V1.SetLargeRequest { Head = new V1.SetLargeHead { Key = Batches.Bytes("a") } }, 2 << 20), Cancel), large.ResponseAsync);
                await Task.WhenAny(large.RequestStream.CompleteAsync(), large.ResponseAsync);
                _ = await large;
            },
        ];
        foreach (Func<Task> call in calls)
        {
            Assert.Equal(V1.PileStatus.TooLarge, (await Failure.OfAsync(StatusCode.ResourceExhausted, call)).Status);
        }

        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Found);
        await Soon.HoldsAsync(() => server.Services.GetRequiredService<ReceiveBudget>().TakenBytes == 0, "what was refused counts no more");
    }

    [Fact]
    public async Task FieldsThatTheServerDoesNotKnowAreNotKept()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = With(new V1.TableOptions { EntriesMax = 5 }, 1_000) });
        Assert.Equal(new V1.TableOptions { EntriesMax = 5 }, (await server.Tables.DescribeAsync(new V1.DescribeTableRequest { Table = "t" })).Options);
    }

    [Fact]
    public async Task ALargeValueKeepsNoMessageAndALongHeadCounts()
    {
        await using TestServer server = await TestServer.StartAsync();
        ReceiveBudget budget = server.Services.GetRequiredService<ReceiveBudget>();
        string[] tags = [.. Enumerable.Range(0, CacheLimits.TagsMax).Select(static tag => new string((char)('A' + tag), ServerLimits.TagBytesMax))];
        var message = new V1.SetLargeRequest
        {
            Head = new V1.SetLargeHead { Key = Batches.Bytes("a"), ValueBytes = 3, Terms = new V1.EntryTerms { Tags = { tags } } },
            Chunk = Batches.Bytes("abc"),
        };
        (int MessageBytes, long Counted) kept = default;
        V1.SetReply stored = await server.Services.GetRequiredService<LargeCalls>().SetAsync(new OneMessage(message, () => kept = (message.CalculateSize(), budget.TakenBytes)), Cancel);

        Assert.Equal(V1.Outcome.Inserted, stored.Outcome);
        Assert.Equal(0, kept.MessageBytes);
        int tagBytes = CacheLimits.TagsMax * ServerLimits.TagBytesMax;
        Assert.InRange(kept.Counted, tagBytes - ServerLimits.ReceiveFreeBytes, tagBytes + 1_000 - ServerLimits.ReceiveFreeBytes);
        Assert.Equal(0, budget.TakenBytes);
        Assert.Equal("abc", (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Value.ToStringUtf8());
    }

    [Fact]
    public async Task APrefixLongerThanAKeyMayBeIsRefused()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:KeyBytesMax=100");
        async Task WatchAsync(ByteString prefix)
        {
            using AsyncServerStreamingCall<V1.WatchReply> watch = server.Entries.Watch(new V1.WatchRequest { Prefix = prefix }, cancellationToken: Cancel);
            Assert.True(await watch.ResponseStream.MoveNext(Cancel));
        }

        async Task ScanAsync(ByteString prefix) => await server.Entries.ScanAsync(new V1.ScanRequest { Prefix = prefix });
        foreach (Func<ByteString, Task> call in new[] { WatchAsync, ScanAsync })
        {
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, () => call(ByteString.CopyFrom(new byte[101])));
            Assert.Equal(V1.PileStatus.TooLarge, refused.Status);
            Assert.Contains("101 bytes; at most 100 are allowed (KeyBytesMax)", refused.Text, StringComparison.Ordinal);
            await call(ByteString.CopyFrom(new byte[100]));
        }
    }

    /// <summary>The same message with a field that the server does not know.</summary>
    private static T With<T>(T message, int bytes)
        where T : IMessage<T>, new()
    {
        using var written = new MemoryStream();
        using var output = new CodedOutputStream(written);
        message.WriteTo(output);
        output.WriteTag(15, WireFormat.WireType.LengthDelimited);
        output.WriteBytes(ByteString.CopyFrom(new byte[bytes]));
        output.Flush();
        var read = new T();
        read.MergeFrom(written.ToArray());
        return read;
    }

    /// <summary>A stream of one message, which is still held when the next one is asked for, as grpc-dotnet does.</summary>
    private sealed class OneMessage(V1.SetLargeRequest only, Action whenAsked) : IAsyncStreamReader<V1.SetLargeRequest>
    {
        private bool _isRead;

        public V1.SetLargeRequest Current => only;

        public Task<bool> MoveNext(CancellationToken cancellationToken)
        {
            if (_isRead)
            {
                whenAsked();
                return Task.FromResult(false);
            }

            _isRead = true;
            return Task.FromResult(true);
        }
    }
}
