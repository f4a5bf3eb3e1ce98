// Messages that are packed, and are not what they say. What they become when they are unpacked is LimitTests' and HostileTests'.
using System;
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

/// <summary>What is no gzip is the client's mistake, and no other packing is taken.</summary>
public sealed class PackedMessageTests
{
    private const string Ok = "0";
    private const string InvalidArgument = "3";
    private const string Unimplemented = "12";

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("pile.v1.Entries/Set")]
    [InlineData("pile.v1.Entries/SetLarge")]
    [InlineData("pile.v1.Entries/Batches")]
    [InlineData("pile.v1.Entries/Watch")]
    [InlineData("grpc.health.v1.Health/Check")]
    public async Task WhatIsNoGzipIsRefusedAndTheLogHasNoFailureOfTheServer(string method)
    {
        await using TestServer server = await TestServer.StartAsync();
        byte[] packed = Gzip([1, 2, 3]);
        byte[] wrong = [.. packed];
        wrong[^8] ^= 1;
        foreach (byte[] bytes in new[] { "notgzip"u8.ToArray(), wrong, packed[..^1], packed[..10], [.. packed, .. packed] })
        {
            (string status, bool hasDetail, _) = await CallAsync(server, method, "gzip", bytes);
            Assert.Equal((InvalidArgument, true), (status, hasDetail));
        }

        Assert.DoesNotContain(server.Log.Lines, static line => line.Level >= Microsoft.Extensions.Logging.LogLevel.Warning);
    }

    [Fact]
    public async Task AMessageThatIsCutStoresNothing()
    {
        await using TestServer server = await TestServer.StartAsync();
        byte[] packed = Gzip(new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("value") }.ToByteArray());
        for (int bytes = 1; bytes < packed.Length; bytes++)
        {
            Assert.Equal((bytes, InvalidArgument), (bytes, (await CallAsync(server, "pile.v1.Entries/Set", "gzip", packed[..bytes])).Status));
        }

        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Found);
        Assert.Equal(Ok, (await CallAsync(server, "pile.v1.Entries/Set", "gzip", packed)).Status);
        Assert.Equal("value", (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Value.ToStringUtf8());
    }

    [Fact]
    public async Task AMessageWithoutBytesIsPackedAsNothingOrAsAGzipOfNothing()
    {
        await using TestServer server = await TestServer.StartAsync();
        Assert.Equal(Ok, (await CallAsync(server, "grpc.health.v1.Health/Check", "gzip", [])).Status);
        byte[] ofNothing = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        Assert.Equal(Ok, (await CallAsync(server, "grpc.health.v1.Health/Check", "gzip", ofNothing)).Status);
    }

    [Theory]
    [InlineData("pile.v1.Entries/GetOrLease", "deflate")]
    [InlineData("pile.v1.Entries/GetOrLease", "br")]
    [InlineData("pile.v1.Entries/SetLarge", "deflate")]
    [InlineData("pile.v1.Entries/Batches", "deflate")]
    [InlineData("grpc.health.v1.Health/Check", "deflate")]
    public async Task AnotherPackingIsRefusedAndToldWhatIsTaken(string method, string packing)
    {
        await using TestServer server = await TestServer.StartAsync();
        using var packed = new MemoryStream();
        using (var stream = new ZLibStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            stream.Write(new V1.GetOrLeaseRequest { Key = Batches.Bytes("a") }.ToByteArray());
        }

        (string status, bool hasDetail, string? taken) = await CallAsync(server, method, packing, packed.ToArray());
        Assert.Equal((Unimplemented, true, "identity,gzip"), (status, hasDetail, taken));
    }

    private static byte[] Gzip(byte[] message)
    {
        using var packed = new MemoryStream();
        using (var stream = new GZipStream(packed, CompressionLevel.Fastest, leaveOpen: true))
        {
            stream.Write(message);
        }

        return packed.ToArray();
    }

    // One message, as it is given.
    private static async Task<(string Status, bool HasDetail, string? Taken)> CallAsync(TestServer server, string method, string packing, byte[] message)
    {
        using var client = new HttpClient(new SocketsHttpHandler());
        using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(new Uri(server.Address), method)) { Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact };
        request.Content = new ByteArrayContent([1, 0, 0, (byte)(message.Length >> 8), (byte)message.Length, .. message]);
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        request.Headers.Add("grpc-encoding", packing);
        request.Headers.Add("te", "trailers");
        using HttpResponseMessage response = await client.SendAsync(request, Cancel);
        _ = await response.Content.ReadAsByteArrayAsync(Cancel);
        ILookup<string, string> headers = response.Headers.Concat(response.TrailingHeaders).ToLookup(static header => header.Key, static header => string.Join(',', header.Value));
        return (headers["grpc-status"].First(), headers["pile-error-bin"].Any(), headers["grpc-accept-encoding"].FirstOrDefault());
    }
}
