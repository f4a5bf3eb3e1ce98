using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
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

    [Fact]
    public async Task AReadThatFindsNoTimerCountsNoMore()
    {
        var pool = new FailingPool();
        await using TestServer server = await StartAsync(pool);
        ReplyBudget budget = server.Services.GetRequiredService<ReplyBudget>();
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = _key, Value = ByteString.CopyFrom(new byte[2000]) });
        ServerState state = server.Services.GetRequiredService<ServerState>();
        var large = new LargeCalls(state, server.Services.GetRequiredService<ReceiveBudget>(), budget, server.Services.GetRequiredService<IOptions<PileServerOptions>>(), new WithoutTimers(), pool);

        _ = await Assert.ThrowsAsync<InsufficientMemoryException>(() => large.GetAsync(state.Tables.Get("").Entries, _key.ToByteArray(), null!, Cancel));
        Assert.Equal((0L, 0), (budget.TakenBytes, pool.Out));
    }

    [Fact]
    public async Task AValueThatIsReplacedByALongerOneBeforeItIsCopiedCountsAsThatOne()
    {
        var pool = new FailingPool();
        await using TestServer server = await StartAsync(pool);
        ReplyBudget budget = server.Services.GetRequiredService<ReplyBudget>();
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = _key, Value = ByteString.CopyFrom(new byte[1000]) });
        budget.Take(budget.BytesMax - 1000);

        // The pool's array has room for it, and the budget has not.
        pool.Before = () => server.Services.GetRequiredService<ServerState>().Tables.Get("").Entries.Set(_key.ToByteArray(), new byte[1020]);
        _ = await Failure.OfAsync(StatusCode.ResourceExhausted, async () =>
        {
            using AsyncServerStreamingCall<V1.ValueChunk> call = server.Entries.GetLarge(new V1.GetLargeRequest { Key = _key }, cancellationToken: Cancel);
            _ = await call.ResponseStream.MoveNext(Cancel).WaitAsync(Soon.Longest, Cancel);
        });
        Assert.Equal((budget.BytesMax - 1000, 0), (budget.TakenBytes, pool.Out));
    }

    private static Task<TestServer> StartAsync(FailingPool pool) =>
        TestServer.StartAsync(new RecordedLog(), builder => builder.Services.AddSingleton<ArrayPool<byte>>(pool));

    private sealed class FailingPool : ArrayPool<byte>
    {
        /// <summary>The call that fails, counted from now; 0 for none.</summary>
        internal int FailsIn { get; set; }

        /// <summary>Done once, before the next array is given out.</summary>
        internal Action? Before { get; set; }

        /// <summary>Arrays that are given out.</summary>
        internal int Out { get; private set; }

        public override byte[] Rent(int minimumLength)
        {
            Action? before = Before;
            Before = null;
            before?.Invoke();
            byte[] array = FailsIn > 0 && --FailsIn == 0 ? throw new InsufficientMemoryException("the test wants it so") : Shared.Rent(minimumLength);
            Out++;
            return array;
        }

        public override void Return(byte[] array, bool clearArray = false)
        {
            Out--;
            Shared.Return(array, clearArray);
        }
    }

    private sealed class WithoutTimers : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => throw new InsufficientMemoryException("the test wants it so");
    }
}
