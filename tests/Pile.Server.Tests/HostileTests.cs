// A hostile client's cheapest means: messages that unpack to large ones, and replies that it does not read.
// What is large by itself is LimitTests'.
using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Small messages that become large ones, whatever the service and the packing.</summary>
[Collection(Alone.Name)]
public sealed class HostileTests
{
    private const int UnpackedBytes = 40 << 20;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("pile.v1.Entries/Set", "gzip")]
    [InlineData("pile.v1.Entries/Set", "deflate")]
    [InlineData("grpc.health.v1.Health/Check", "gzip")]
    [InlineData("grpc.health.v1.Health/Check", "deflate")]
    [InlineData("grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "gzip")]
    [InlineData("grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", "deflate")]
    public async Task AMessageIsNeverUnpackedBeyondTheLimit(string method, string packing)
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:MessageBytesMax=262144");
        long before = GC.GetTotalAllocatedBytes();
        using var client = new HttpClient(new SocketsHttpHandler()) { DefaultRequestVersion = HttpVersion.Version20, DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact };
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(new Uri(server.Address), method)) { Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact };
        request.Content = new ByteArrayContent(Packed(packing));
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        request.Headers.Add("grpc-encoding", packing);
        request.Headers.Add("te", "trailers");
        using HttpResponseMessage response = await client.SendAsync(request, Cancel);
        _ = await response.Content.ReadAsByteArrayAsync(Cancel);
        string status = response.Headers.Concat(response.TrailingHeaders).First(static header => header.Key == "grpc-status").Value.First();
        long allocated = GC.GetTotalAllocatedBytes() - before;
        Assert.True(status is "8" or "12", $"grpc-status {status}, {allocated:N0} bytes allocated");
        Assert.True(allocated < UnpackedBytes / 2, $"grpc-status {status}, {allocated:N0} bytes allocated");
    }

    [Fact]
    public async Task HealthTakesNoMoreThanANameOfAService()
    {
        await using TestServer server = await TestServer.StartAsync();
        var health = new Grpc.Health.V1.Health.HealthClient(server.Channel);
        using Grpc.Core.AsyncServerStreamingCall<Grpc.Health.V1.HealthCheckResponse> watch = health.Watch(
            new Grpc.Health.V1.HealthCheckRequest { Service = new string('a', 10_000_000) }, new Grpc.Core.Metadata { { "grpc-internal-encoding-request", "gzip" } }, cancellationToken: Cancel);
        Grpc.Core.RpcException refused = await Assert.ThrowsAsync<Grpc.Core.RpcException>(() => watch.ResponseStream.MoveNext(Cancel));
        Assert.Equal(Grpc.Core.StatusCode.ResourceExhausted, refused.StatusCode);
    }

    [Fact]
    public async Task RepliesOfAStreamThatNobodyReadsAreBounded()
    {
        await using TestServer server = await TestServer.StartAsync("--memory-limit=67108864");
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = ByteString.CopyFrom(new byte[1 << 20]) });
        V1.BatchRequest one = new() { Get = Batches.Get(1, "a") };
        byte[] message = one.ToByteArray();
        byte[] frames = [.. Enumerable.Repeat<byte[]>([0, 0, 0, 0, (byte)message.Length, .. message], 400).SelectMany(static frame => frame)];
        long hitsBefore = Hits(server);
        using var client = new HttpClient(new SocketsHttpHandler());
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(new Uri(server.Address), "pile.v1.Entries/Batches")) { Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact };
        request.Content = new ByteArrayContent(frames);
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        request.Headers.Add("te", "trailers");
        using HttpResponseMessage response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, Cancel);
        for (int rounds = 0; rounds < 300; rounds++)
        {
            _ = Hits(server);
        }

        // Each batch is one hit.
        long done = Hits(server) - hitsBefore;
        Assert.True(done < 50, $"{done} batches of 1 MiB were answered into memory");
    }

    private static long Hits(TestServer server) => (long)server.Tables.Stats(new V1.StatsRequest()).Figures.Hits;

    private static byte[] Packed(string packing)
    {
        using var packed = new MemoryStream();
        using (Stream stream = packing == "gzip" ? new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true) : new ZLibStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            // field 15, of 40 MiB: in no message of these
            byte[] head = [(15 << 3) | 2, .. Varint(UnpackedBytes)];
            stream.Write(head);
            byte[] zeros = new byte[1 << 20];
            for (int count = 0; count < UnpackedBytes >> 20; count++)
            {
                stream.Write(zeros);
            }
        }

        byte[] bytes = packed.ToArray();
        return [1, (byte)(bytes.Length >> 24), (byte)(bytes.Length >> 16), (byte)(bytes.Length >> 8), (byte)bytes.Length, .. bytes];
    }

    private static IEnumerable<byte> Varint(int value)
    {
        for (; value >= 0x80; value >>= 7)
        {
            yield return (byte)(value | 0x80);
        }

        yield return (byte)value;
    }
}
