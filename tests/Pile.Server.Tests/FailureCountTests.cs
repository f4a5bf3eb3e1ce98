using System;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Hosting.Tests;
using Pile.Server.Calls;
using Pile.Server.Tests.Hostile;
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

    /// <summary>Such a client is not told: that the server makes an error of it concerns nobody.</summary>
    [Theory]
    [InlineData("Set", true)]
    [InlineData("Set", false)]
    [InlineData("GetMany", true)]
    [InlineData("Watch", true)]
    [InlineData("GetLarge", false)]
    [InlineData("SetLarge", true)]
    [InlineData("SetLarge", false)]
    [InlineData("Batches", true)]
    [InlineData("Batches", false)]
    [InlineData("Batches", true, "grpc-timeout", "1H")]
    [InlineData("Batches", false, "grpc-timeout", "1H")]
    public async Task AClientThatGoesWhileItsMessageIsOnItsWayHasCancelledTheCall(string method, bool isReset, string header = "x-pile", string value = "none")
    {
        var log = new RecordedLog();
        await using TestServer server = await TestServer.StartAsync(log, static _ => { });
        using var failures = new CountedFailures(server);
        await using (RawConnection connection = await RawConnection.OpenAsync(new Uri(server.Address)))
        {
            _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Entries/" + method, (header, value))));
            _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, 0, [0, 0, 0, 1, 0, .. new byte[100]]));
            await Soon.HoldsAsync(() => server.Services.GetRequiredService<ReceivePace>().Count == 1, "half of the message has come");
            if (isReset)
            {
                _ = await connection.SendAsync(RawFrame.Number(FrameKind.Reset, 1, 8));
                await Soon.HoldsAsync(() => failures.Counted.Count > 0, "the call has failed");
            }
        }

        await Soon.HoldsAsync(() => failures.Counted.Count > 0, "the call has failed");
        Assert.Equal($"pile.v1.Entries/{method} CANCELLED", Assert.Single(failures.Counted));
        Assert.DoesNotContain(log.Lines, static line => line.Level >= LogLevel.Warning);
    }

    [Theory]
    [InlineData("99999999H")]
    [InlineData("999999999H")]
    [InlineData("2147483647H")]
    [InlineData("999999999S")]
    public async Task ADeadlineBeyondAllTimeIsNone(string timeout)
    {
        await using TestServer server = await TestServer.StartAsync();
        await using RawConnection connection = await RawConnection.OpenAsync(new Uri(server.Address));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders, RawHeaders.Call("pile.v1.Tables/List", ("grpc-timeout", timeout))));
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Data, 1, RawFrame.EndStream, [0, 0, 0, 0, 0]));

        Assert.Equal("0", await connection.StatusAsync(1));
        Assert.Equal(0, Failed(server));
    }

    private static long Failed(TestServer server) => server.Services.GetRequiredService<ServerMetrics>().FailedCalls;
}
