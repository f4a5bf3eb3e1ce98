using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Net.Client;
using Pile.Server.Tests.Hostile;
using Xunit;

namespace Pile.Server.Tests.Running;

/// <summary>The program's way from sockets to calls: no hop, and no call that waits keeps another back.</summary>
[Collection(Alone.Name)]
public sealed class SocketCompletionsTests
{
    private const int Waiters = 64;

    [Fact]
    public async Task TheProgramHasAThreadForSocketsOnEachProcessorUnlessItsEnvironmentSaysOtherwise()
    {
        // The runtime's sign of it; without it there is one for up to 30 processors.
        await using ServerProcess straight = await StartAsync();
        Assert.Equal(Environment.ProcessorCount, SocketThreads(straight));
        await using ServerProcess other = await StartAsync(("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "0"));
        Assert.Equal(int.Max(1, Environment.ProcessorCount / 30), SocketThreads(other));
    }

    [Fact]
    public async Task CallsThatWaitKeepNobodyBackOnTheSameConnectionOrOnOthers()
    {
        await using ServerProcess server = await StartAsync();
        using GrpcChannel channel = GrpcChannel.ForAddress(server.Address);
        V1.Entries.EntriesClient entries = new(channel);
        DateTime ends = TimeProvider.System.GetUtcNow().UtcDateTime + Soon.Longest;
        _ = await entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("large"), Value = ByteString.CopyFrom(new byte[4 << 20]) }, deadline: ends);
        V1.GetOrLeaseReply lease = await entries.GetOrLeaseAsync(new V1.GetOrLeaseRequest { Key = Batches.Bytes("key"), LeaseMs = 60_000 }, deadline: ends);

        // Calls that wait for it, a large stream that nobody reads, and half a message, all on the connection of the fast ones.
        AsyncUnaryCall<V1.GetOrLeaseReply>[] waiting = [.. Enumerable.Range(0, Waiters).Select(_ => entries.GetOrLeaseAsync(new V1.GetOrLeaseRequest { Key = Batches.Bytes("key"), WaitMs = 60_000 }, deadline: ends))];
        using AsyncServerStreamingCall<V1.ValueChunk> unread = entries.GetLarge(new V1.GetLargeRequest { Key = Batches.Bytes("large") }, deadline: ends);
        using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> half = entries.SetLarge(deadline: ends);
        await half.RequestStream.WriteAsync(new V1.SetLargeRequest { Head = new V1.SetLargeHead { Key = Batches.Bytes("half"), ValueBytes = 1 << 20 }, Chunk = ByteString.CopyFrom(new byte[1000]) });
        await using RawConnection stalled = await RawConnection.OpenAsync(server.Address);
        _ = await stalled.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/Set")));
        _ = await stalled.SendAsync(RawFrame.Of(FrameKind.Data, 1, 0, new byte[3]));
        using GrpcChannel second = GrpcChannel.ForAddress(server.Address);
        foreach (GrpcChannel one in new[] { channel, second })
        {
            for (int call = 0; call < 200; call++)
            {
                Assert.False((await new V1.Entries.EntriesClient(one).GetAsync(new V1.GetRequest { Key = Batches.Bytes("none") }, deadline: ends)).Found);
            }
        }

        Assert.All(waiting, static call => Assert.False(call.ResponseAsync.IsCompleted));
        _ = await entries.SetLeasedAsync(new V1.SetLeasedRequest { Key = Batches.Bytes("key"), Lease = lease.Lease, Value = Batches.Bytes("v") }, deadline: ends);
        Assert.All(await Task.WhenAll(waiting.Select(static call => call.ResponseAsync)).WaitAsync(Soon.Longest), static reply => Assert.Equal("v", reply.Value.ToStringUtf8()));
    }

    private static Task<ServerProcess> StartAsync(params (string Name, string Value)[] environment) =>
        ServerProcess.StartAsync(["--in-memory", "--memory-limit=64MiB", "--listen=http://127.0.0.1:0"], environment);

    private static int SocketThreads(ServerProcess server) =>
        Directory.EnumerateDirectories($"/proc/{server.Id}/task").Count(static thread => File.ReadAllText(Path.Combine(thread, "comm")).StartsWith(".NET Sockets", StringComparison.Ordinal));
}
