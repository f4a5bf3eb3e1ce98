using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Hosting.Tests;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Large values for which the process has no memory: their calls fail, and count for nothing afterwards.</summary>
public sealed class LargeMemoryTests
{
    private static readonly ByteString _key = Batches.Bytes("large");

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task AStoreThatFindsNoMemoryCountsNoMore(int failsAt)
    {
        var pool = new FailingPool();
        await using TestServer server = await StartAsync(pool);
        ReceiveBudget budget = server.Services.GetRequiredService<ReceiveBudget>();
        pool.FailsIn = failsAt;
        using (AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge(cancellationToken: Cancel))
        {
            await Assert.ThrowsAsync<RpcException>(async () =>
            {
                var head = new V1.SetLargeHead { Key = _key, ValueBytes = 2000 };
                await call.RequestStream.WriteAsync(new V1.SetLargeRequest { Head = head, Chunk = ByteString.CopyFrom(new byte[1000]) }, Cancel);
                if (failsAt == 2)
                {
                    await call.RequestStream.WriteAsync(new V1.SetLargeRequest { Chunk = ByteString.CopyFrom(new byte[1000]) }, Cancel);
                }

                _ = await call.ResponseAsync.WaitAsync(Soon.Longest, Cancel);
            });
        }

        Assert.Equal(0, pool.FailsIn);
        await Soon.HoldsAsync(() => budget.TakenBytes == 0, "what came counts no more");
    }

    [Fact]
    public async Task AReadThatFindsNoMemoryCountsNoMore()
    {
        var pool = new FailingPool();
        await using TestServer server = await StartAsync(pool);
        ReplyBudget budget = server.Services.GetRequiredService<ReplyBudget>();
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = _key, Value = ByteString.CopyFrom(new byte[2000]) });
        pool.FailsIn = 1;
        using (AsyncServerStreamingCall<V1.ValueChunk> call = server.Entries.GetLarge(new V1.GetLargeRequest { Key = _key }, cancellationToken: Cancel))
        {
            _ = await Assert.ThrowsAsync<RpcException>(() => call.ResponseStream.MoveNext(Cancel).WaitAsync(Soon.Longest, Cancel));
        }

        Assert.Equal(0, pool.FailsIn);
        await Soon.HoldsAsync(() => budget.TakenBytes == 0, "what was to go counts no more");
    }

    private static Task<TestServer> StartAsync(FailingPool pool) =>
        TestServer.StartAsync(new RecordedLog(), builder => builder.Services.AddSingleton<ArrayPool<byte>>(pool));

    private sealed class FailingPool : ArrayPool<byte>
    {
        /// <summary>The call that fails, counted from now; 0 for none.</summary>
        internal int FailsIn { get; set; }

        public override byte[] Rent(int minimumLength) =>
            FailsIn > 0 && --FailsIn == 0 ? throw new InsufficientMemoryException("the test wants it so") : Shared.Rent(minimumLength);

        public override void Return(byte[] array, bool clearArray = false) => Shared.Return(array, clearArray);
    }
}
