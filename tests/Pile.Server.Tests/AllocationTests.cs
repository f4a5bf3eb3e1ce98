// What a call costs the collector, of the whole process: the client is a bare connection that allocates nothing itself.
// Code that the runtime has not optimised yet allocates more: the calls are repeated until a window of them keeps to the bar.
using System;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Server.Calls;
using Pile.ServerBench.Load;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Bytes allocated for calls, by everything in the process.</summary>
[Collection(Alone.Name)]
public sealed class AllocationTests
{
    private const int UnaryBytesMax = 400;
    private const int ItemBytesMax = 4;
    private const int WindowCalls = 500;
    private const int WindowBatches = 100;
    private const int BatchItems = 64;

    // As many as a stream has under way: what Kestrel allocates for each piece that it sends is then for several.
    private const int UnderWay = 8;
    private const int WindowsMax = 200;
    private const int Values = 100;

    [Fact]
    public async Task AUnaryGetAllocatesAtMost400Bytes()
    {
        await using TestServer server = await TestServer.StartAsync();
        await FillAsync(server);
        using var link = new Http2Link(new Uri(server.Address));
        byte[] call = link.Call("/pile.v1.Entries/Get");
        byte[] request = Messages.WithHead(Messages.Get(1));
        var sink = new Replies();
        AssertAtMost(UnaryBytesMax, WindowCalls, () =>
        {
            for (int count = 0; count < WindowCalls; count++)
            {
                link.Whole(link.Open(call), request);
                for (int ended = sink.Ended; sink.Ended == ended;)
                {
                    link.Receive(ref sink);
                }
            }
        });
        Assert.True(sink.Bytes >= (long)sink.Ended * Values, $"{sink.Bytes:N0} bytes in {sink.Ended:N0} replies");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task AnItemOfABatchAllocatesAtMost4Bytes(bool stores)
    {
        await using TestServer server = await TestServer.StartAsync();
        await FillAsync(server);
        using var link = new Http2Link(new Uri(server.Address));
        int stream = link.Open("/pile.v1.Entries/Batches");
        byte[] frames = Messages.Frames(stream, Messages.Batch(1, [.. Enumerable.Range(0, BatchItems)], stores ? Messages.Value(Values) : null));
        var check = new ReplyCheck(LoadOptions.Parse(server.Address, stores ? "set" : "get", []));
        AssertAtMost(ItemBytesMax, WindowBatches * BatchItems, () =>
        {
            long end = check.Replies + WindowBatches;
            for (long sent = check.Replies; check.Replies < end; link.Receive(ref check))
            {
                for (; sent < long.Min(end, check.Replies + UnderWay); sent++)
                {
                    link.Put(frames, frames.Length - Http2Link.FrameHeadBytes);
                }
            }
        });
    }

    [Theory]
    [InlineData("Get", StatusCode.ResourceExhausted)]
    [InlineData("GetOrLease", StatusCode.ResourceExhausted)]
    [InlineData("Increment", StatusCode.FailedPrecondition)]
    public async Task AValueThatIsTooLongIsRefusedWithoutACopy(string method, StatusCode code)
    {
        const int ValueBytes = 20 << 20;
        await using TestServer server = await TestServer.StartAsync("--memory-limit=268435456");
        ByteString key = Batches.Bytes("large");
        _ = server.Services.GetRequiredService<ServerState>().Tables.Get("").Entries.Set(key.ToByteArray(), new byte[ValueBytes]);
        long before = GC.GetTotalAllocatedBytes();
        V1.ErrorDetail refused = await Failure.OfAsync(code, async () => _ = method switch
        {
            "Get" => (object)await server.Entries.GetAsync(new V1.GetRequest { Key = key, WantVersion = true }),
            "GetOrLease" => await server.Entries.GetOrLeaseAsync(new V1.GetOrLeaseRequest { Key = key }),
            _ => await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = key, By = 1 }),
        });
        long allocated = GC.GetTotalAllocatedBytes() - before;
        Assert.Contains($"{ValueBytes:N0}", refused.Text, StringComparison.Ordinal);
        Assert.True(allocated < ValueBytes / 2, $"{allocated:N0} bytes allocated");
    }

    private static async Task FillAsync(TestServer server)
    {
        V1.SetBatch batch = Batches.Set(1, [.. Enumerable.Range(0, BatchItems).Select(static number => ($"key:{number:D12}", new string('v', Values)))]);
        _ = await server.Entries.SetManyAsync(batch);
    }

    private static void AssertAtMost(int bytesMax, int count, Action window)
    {
        double least = double.MaxValue;
        for (int windows = 0; windows < WindowsMax && least > bytesMax; windows++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            window();
            least = double.Min(least, (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)count);
        }

        Assert.True(least <= bytesMax, $"{least:F1} bytes for each, at most {bytesMax} are allowed");
    }

    private struct Replies : IFrameSink
    {
        internal int Ended { get; private set; }

        internal long Bytes { get; private set; }

        public void Data(int stream, ReadOnlySpan<byte> bytes) => Bytes += bytes.Length;

        void IFrameSink.Ended(int stream) => Ended++;
    }
}
