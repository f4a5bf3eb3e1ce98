using System;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>A server whose cache has no room: what it tells those who store.</summary>
public sealed class FullDeviceTests
{
    private static readonly V1.TableOptions _durable = new() { Kind = V1.TableKind.Durable };

    [Fact]
    public async Task AServerWhoseDeviceIsLowTellsWhoStoresOfTheDeviceAndNotOfItsLimit()
    {
        using var cache = new SimulatedCache(reserveBytes: 1 << 20);
        await using TestServer server = await TestServer.StartAsync(new RecordedLog(), cache.ServeBy);
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = _durable });
        cache.Files.CapacityBytes = 8 << 20;

        string plain = await FilledAsync(server);
        Assert.Matches("^There is no room for the value: the device of the cache's files has [0-9,]+ bytes free, of which 1,048,576 are kept, .* Free space on the device, or remove entries.$", plain);
        var large = new V1.SetLargeRequest { Head = new V1.SetLargeHead { Table = "t", Key = Batches.Bytes("large"), ValueBytes = 100_000 }, Chunk = ByteString.CopyFrom(new byte[100_000]) };
        RpcException refused = await Assert.ThrowsAsync<RpcException>(async () =>
        {
            using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge();
            await call.RequestStream.WriteAsync(large);
            await call.RequestStream.CompleteAsync();
            _ = await call;
        });
        Assert.Contains("the device of the cache's files", refused.Status.Detail, StringComparison.Ordinal);
        Assert.True(cache.Cache.GetStatistics().UsedBytes < cache.Cache.Pile.MemoryLimitBytes / 2);
    }

    [Fact]
    public async Task AServerThatIsAtItsLimitTellsWhoStoresOfThat()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = _durable });

        Assert.EndsWith("Remove entries, or raise MemoryLimitBytes.", await FilledAsync(server), StringComparison.Ordinal);
    }

    private static async Task<string> FilledAsync(TestServer server)
    {
        var value = ByteString.CopyFrom(new byte[15_000]);
        for (int key = 0; ; key++)
        {
            Assert.InRange(key, 0, 10_000);
            try
            {
                _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t", Key = Batches.Bytes($"{key}"), Value = value });
            }
            catch (RpcException refused)
            {
                Assert.Equal(StatusCode.ResourceExhausted, refused.StatusCode);
                return refused.Status.Detail;
            }
        }
    }
}
