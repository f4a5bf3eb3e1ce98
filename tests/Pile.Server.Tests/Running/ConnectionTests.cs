using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Net.Client;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Pile.Server.Tests.Hostile;
using Xunit;

namespace Pile.Server.Tests.Running;

/// <summary>Limits of connections, and of calls on one.</summary>
public sealed class ConnectionTests
{
    [Fact]
    public async Task AConnectionIsToldHowManyCallsItMayHaveAtOnce()
    {
        await using TestServer server = await TestServer.StartAsync("--PileListen:StreamsPerConnectionMax=7");
        using var ends = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        using var client = new TcpClient();
        await client.ConnectAsync(IPEndPoint.Parse(new Uri(server.Address).Authority), ends.Token);
        await using NetworkStream stream = client.GetStream();
        await stream.WriteAsync("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0"u8.ToArray(), ends.Token); // the preface, and SETTINGS without any
        byte[] head = new byte[9];
        await stream.ReadExactlyAsync(head, ends.Token);
        Assert.Equal(4, head[3]); // SETTINGS
        byte[] settings = new byte[head[2]];
        await stream.ReadExactlyAsync(settings, ends.Token);
        uint? streams = null;
        for (int at = 0; at < settings.Length; at += 6)
        {
            streams = BinaryPrimitives.ReadUInt16BigEndian(settings.AsSpan(at)) == 3 ? BinaryPrimitives.ReadUInt32BigEndian(settings.AsSpan(at + 2)) : streams;
        }

        Assert.Equal(7u, streams);
    }

    [Fact]
    public async Task AConnectionBeyondTheLimitIsClosedAndThereIsRoomAgainWhenOneEnds()
    {
        await using TestServer server = await TestServer.StartAsync("--PileListen:ConnectionsMax=1");
        DateTime end = TimeProvider.System.GetUtcNow().UtcDateTime + TimeSpan.FromMinutes(1);
        var get = new V1.GetRequest { Key = Batches.Bytes("a") };
        using (GrpcChannel first = GrpcChannel.ForAddress(server.Address))
        {
            Assert.False((await new V1.Entries.EntriesClient(first).GetAsync(get, deadline: end)).Found);
            using GrpcChannel second = GrpcChannel.ForAddress(server.Address);
            RpcException refused = await Assert.ThrowsAsync<RpcException>(async () => await new V1.Entries.EntriesClient(second).GetAsync(get, deadline: end));
            Assert.True(refused.StatusCode is StatusCode.Unavailable or StatusCode.Internal, refused.ToString());
            Assert.False((await new V1.Entries.EntriesClient(first).GetAsync(get, deadline: end)).Found);
        }

        // The end of the first comes to the server a moment later.
        while (true)
        {
            using GrpcChannel third = GrpcChannel.ForAddress(server.Address);
            try
            {
                Assert.False((await new V1.Entries.EntriesClient(third).GetAsync(get, deadline: end)).Found);
                return;
            }
            catch (RpcException) when (TimeProvider.System.GetUtcNow() < end)
            {
                await Task.Yield();
            }
        }
    }

    [Theory]
    [InlineData(16L << 20, 64)]
    [InlineData(384L << 20, 384)]
    [InlineData(1L << 40, 4096)]
    public void ConnectionsThatNobodyHasSetAreOneForEachMebibyteOfTheHeap(long heapBytes, long connections) => Assert.Equal(connections, Pile.Server.Running.ListenOptions.ConnectionsUnset(heapBytes));

    [Fact]
    public async Task InASmallHeapConnectionsThatNobodyHasSetAreFew()
    {
        await using ServerProcess server = await ServerProcess.StartAsync(["--in-memory", "--memory-limit=64MiB", "--listen=http://127.0.0.1:0"], ("DOTNET_GCHeapHardLimit", "0x5000000"));
        List<RawConnection> connections = [];
        try
        {
            using var ends = new CancellationTokenSource(TimeSpan.FromMinutes(1));
            for (int count = 0; count <= 80; count++)
            {
                connections.Add(await RawConnection.OpenAsync(server.Address));
            }

            // Closed at once; the others say nothing.
            await connections[^1].DrainAsync(ends.Token);
            Assert.False(ends.IsCancellationRequested, "a connection beyond one for each MiB goes on");
            Assert.True(await connections[0].SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/Batches"))));
            Assert.True(await connections[0].SendAsync(RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream)));
            Assert.Equal("0", await connections[0].StatusAsync(1));
        }
        finally
        {
            foreach (RawConnection connection in connections)
            {
                await connection.DisposeAsync();
            }
        }
    }

    [Fact]
    public async Task AConnectionThatIsSilentIsAskedAndEndsWithoutAnAnswer()
    {
        await using TestServer server = await TestServer.StartAsync();
        Http2Limits limits = server.Services.GetRequiredService<IOptions<KestrelServerOptions>>().Value.Limits.Http2;
        Assert.Equal((TimeSpan.FromMinutes(1), TimeSpan.FromSeconds(30)), (limits.KeepAlivePingDelay, limits.KeepAlivePingTimeout));
    }

    [Fact]
    public async Task ASocketWithAPathIsServedAndOneThatAKilledProcessLeftIsReplaced()
    {
        using var folder = new Pile.Tests.Durability.TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        string path = Path.Combine(folder.Path, "socket");
        using (var left = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            left.Bind(new UnixDomainSocketEndPoint(path));
        }

        await using TestServer server = await TestServer.StartAsync($"--listen=unix:{path}");
        using var handler = new System.Net.Http.SocketsHttpHandler
        {
            ConnectCallback = async (_, cancel) =>
            {
                var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
                await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancel);
                return new NetworkStream(socket, ownsSocket: true);
            },
        };
        using GrpcChannel channel = GrpcChannel.ForAddress("http://localhost", new GrpcChannelOptions { HttpHandler = handler });
        Assert.False((await new V1.Entries.EntriesClient(channel).GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") }, deadline: TimeProvider.System.GetUtcNow().UtcDateTime + TimeSpan.FromMinutes(1))).Found);
    }
}
