using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.Logging;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Server.Tests.Logs;

/// <summary>What clients send is in no line of the log, whatever the level and however a call ends.</summary>
public sealed class SecretTests
{
    // As text, and as its bytes could be printed.
    private const string Key = "marked~key";
    private const string Value = "marked~value";
    private const string Token = "marked~token";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task NoLineHasAKeyAValueOrAToken()
    {
        var log = new RecordedLog();
        await using (TestServer server = await TestServer.StartAsync(log, static builder => builder.Logging.SetMinimumLevel(LogLevel.Trace), "--PileServer:KeyBytesMax=100", "--PileServer:ValueBytesMax=100000", "--PileServer:SlowCall=00:00:00.0000001", "--PileServer:AnonymousAccess=Read,Write,Admin",
            "--Logging:LogLevel:Microsoft.AspNetCore=Trace", "--Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics=Trace", "--Logging:LogLevel:Grpc=Trace"))
        {
            await GoodAsync(server);
            await BadAsync(server);
            await server.StopAsync(Cancel).WaitAsync(TimeSpan.FromMinutes(1), Cancel);
        }

        Assert.Contains(log.Lines, static line => line.Level == LogLevel.Trace);
        Assert.Contains(log.Lines, static line => line.Id.Id == 303 && line.Category.StartsWith("Pile.Server", StringComparison.Ordinal));
        Assert.Contains(log.Lines, static line => line.Id.Id == 305 && line.Category.StartsWith("Pile.Server", StringComparison.Ordinal));
        string[] secrets = [.. new[] { Key, Value, Token }.SelectMany(Forms)];
        Assert.DoesNotContain(log.Lines, line => secrets.Any(secret => $"{line.Message} {line.Exception}".Contains(secret, StringComparison.OrdinalIgnoreCase)));
    }

    private static async Task GoodAsync(TestServer server)
    {
        ByteString key = Batches.Bytes(Key);
        ByteString value = Batches.Bytes(Value);
        using AsyncServerStreamingCall<V1.WatchReply> watch = server.Entries.Watch(new V1.WatchRequest { Prefix = key }, cancellationToken: Cancel);
        Assert.True(await watch.ResponseStream.MoveNext(Cancel));
        V1.GetOrLeaseReply leased = await server.Entries.GetOrLeaseAsync(new V1.GetOrLeaseRequest { Key = key });
        _ = await server.Entries.SetLeasedAsync(new V1.SetLeasedRequest { Key = key, Value = value, Lease = leased.Lease });
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = key, Value = value });
        Assert.Equal(value, (await server.Entries.GetAsync(new V1.GetRequest { Key = key })).Value);
        _ = await server.Entries.GetManyAsync(Batches.Get(1, Key, Key + "2"));
        using AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> stream = server.Entries.Batches(cancellationToken: Cancel);
        await stream.RequestStream.WriteAsync(new V1.BatchRequest { Get = Batches.Get(2, Key) }, Cancel);
        Assert.True(await stream.ResponseStream.MoveNext(Cancel));
        await stream.RequestStream.CompleteAsync();
        Assert.False(await stream.ResponseStream.MoveNext(Cancel));
        _ = await server.Entries.ScanAsync(new V1.ScanRequest { Prefix = Batches.Bytes(Key[..6]) });
        _ = await server.Entries.RefreshAsync(new V1.RefreshRequest { Key = key });
        using AsyncServerStreamingCall<V1.ValueChunk> large = server.Entries.GetLarge(new V1.GetLargeRequest { Key = key }, cancellationToken: Cancel);
        Assert.True(await large.ResponseStream.MoveNext(Cancel));
        _ = await server.Entries.RemoveAsync(new V1.RemoveRequest { Key = key });
    }

    private static async Task BadAsync(TestServer server)
    {
        ByteString key = Batches.Bytes(Key);
        string longKey = string.Concat(Enumerable.Repeat(Key, 20));
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = key, Value = Batches.Bytes(Value) });
        _ = await Assert.ThrowsAsync<RpcException>(async () => await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = key, By = 1 }));
        _ = await Assert.ThrowsAsync<RpcException>(async () => await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes(longKey) }));
        _ = await Assert.ThrowsAsync<RpcException>(async () => await server.Entries.SetAsync(new V1.SetRequest { Key = key, Value = Batches.Bytes(string.Concat(Enumerable.Repeat(Value, 10_000))) }));
        _ = await Assert.ThrowsAsync<RpcException>(async () => await server.Entries.GetManyAsync(new V1.GetBatch { Keys = key, KeyLengths = { 1 } }));
        _ = await Assert.ThrowsAsync<RpcException>(async () => await server.Entries.ScanAsync(new V1.ScanRequest { Prefix = key, Cursor = Batches.Bytes(Value) }));
        Metadata token = new() { { "authorization", "Bearer " + Token } };
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(new V1.GetRequest { Key = key }, token));
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> large = server.Entries.SetLarge(cancellationToken: Cancel);
        await large.RequestStream.WriteAsync(new V1.SetLargeRequest { Head = new V1.SetLargeHead { Key = key, ValueBytes = 1 }, Chunk = Batches.Bytes(Value) }, Cancel);
        _ = await Assert.ThrowsAsync<RpcException>(async () => await large);
    }

    private static IEnumerable<string> Forms(string secret)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(secret);
        return [secret, Convert.ToBase64String(bytes)[..8], Convert.ToHexString(bytes), string.Join('-', bytes.Select(static one => one.ToString("X2", CultureInfo.InvariantCulture))), string.Join(", ", bytes.Select(static one => one.ToString(CultureInfo.InvariantCulture)))];
    }
}
