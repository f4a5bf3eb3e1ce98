using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Each call that ends with another status than OK is counted, once, whoever has refused it.</summary>
public sealed class FailureCountTests
{
    private static readonly Metadata _gzip = new() { { "grpc-internal-encoding-request", "gzip" } };

    [Fact]
    public async Task WhatGrpcRefusesBeforeAnyHandlerIsCounted()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:MessageBytesMax=1000000");
        var large = new V1.SetRequest { Key = Batches.Bytes("b"), Value = ByteString.CopyFrom(new byte[50_000_000]) };

        _ = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.SetAsync(large, _gzip));
        Assert.Equal(1, Failed(server));
    }

    [Fact]
    public async Task WhatAHandlerRefusesIsCountedOnceAndWhatItDoesIsNot()
    {
        await using TestServer server = await TestServer.StartAsync();

        // Unary by gRPC and by hand, and a stream.
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.GetAsync(new V1.GetRequest(), _gzip));
        Assert.Equal(1, Failed(server));
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.GetAsync(new V1.GetRequest()));
        Assert.Equal(2, Failed(server));
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () =>
        {
            using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> call = server.Entries.SetLarge();
            await call.RequestStream.WriteAsync(new V1.SetLargeRequest { Head = new V1.SetLargeHead() }, TestContext.Current.CancellationToken);
            await call.RequestStream.CompleteAsync();
            _ = await call;
        });
        Assert.Equal(3, Failed(server));
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a") }, _gzip);
        _ = await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") });
        Assert.Equal(3, Failed(server));
    }

    private static long Failed(TestServer server) => server.Services.GetRequiredService<ServerMetrics>().FailedCalls;
}
