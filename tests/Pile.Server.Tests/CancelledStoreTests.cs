using System;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>A store in chunks that is cancelled when all its bytes have come, and not its end.</summary>
public sealed class CancelledStoreTests
{
    [Fact]
    public async Task AValueOfACancelledCallIsNotStored()
    {
        await using TestServer server = await TestServer.StartAsync();
        using var cancel = new CancellationTokenSource();
        var reader = new CancelledReader(new V1.SetLargeRequest { Head = new V1.SetLargeHead { Key = Batches.Bytes("a"), ValueBytes = 3 }, Chunk = Batches.Bytes("abc") }, cancel);

        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => server.Services.GetRequiredService<LargeCalls>().SetAsync(reader, cancel.Token));

        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Found);
    }

    [Fact]
    public async Task AClientThatCancelsIsNoErrorOfTheServer()
    {
        await using TestServer server = await TestServer.StartAsync();
        long failed = Failed(server);
        using (AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> batches = server.Entries.Batches())
        {
            await batches.RequestStream.WriteAsync(new V1.BatchRequest { Get = Batches.Get(1, "a") }, TestContext.Current.CancellationToken);
            Assert.True(await batches.ResponseStream.MoveNext(TestContext.Current.CancellationToken));
        }

        using (AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> large = server.Entries.SetLarge())
        {
            await large.RequestStream.WriteAsync(
                new V1.SetLargeRequest { Head = new V1.SetLargeHead { Key = Batches.Bytes("a"), ValueBytes = 3 }, Chunk = Batches.Bytes("a") }, TestContext.Current.CancellationToken);
            await Soon.HoldsAsync(() => Receiving(server) > 0, "the value is received");
        }

        await Soon.HoldsAsync(() => Failed(server) == failed + 2, "both calls have ended");
        Assert.DoesNotContain(server.Log.Lines, static line => line.Level >= LogLevel.Error);
    }

    private static long Failed(TestServer server) => (long)server.Tables.Stats(new V1.StatsRequest()).FailedCalls;

    private static long Receiving(TestServer server) => (long)server.Tables.Stats(new V1.StatsRequest()).ReceivingBytes;

    /// <summary>Is cancelled after the last message, and then says that there are no more, as grpc-dotnet does.</summary>
    private sealed class CancelledReader(V1.SetLargeRequest only, CancellationTokenSource cancel) : IAsyncStreamReader<V1.SetLargeRequest>
    {
        private bool _isRead;

        public V1.SetLargeRequest Current => only;

        public Task<bool> MoveNext(CancellationToken cancellationToken)
        {
            if (_isRead)
            {
                cancel.Cancel();
                return Task.FromResult(false);
            }

            _isRead = true;
            return Task.FromResult(true);
        }
    }
}
