using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Health.V1;
using Grpc.Net.Client;
using Pile.Hosting.Tests;
using Pile.Memory;
using Xunit;
using Serving = Grpc.Health.V1.HealthCheckResponse.Types.ServingStatus;

namespace Pile.Server.Tests;

/// <summary>A server of whose files a call has failed: it takes no writes until it is started anew.</summary>
public sealed class FailedFilesTests
{
    private static readonly string[] _names = ["", "pile.v1.Entries", "pile.v1.Tables", "pile.v1.Admin"];

    [Fact]
    public async Task AServerThatTakesNoWritesAnyMoreIsNotServingByItsHealthAndReadsOn()
    {
        using var cache = new SimulatedCache();
        var log = new RecordedLog();
        await using TestServer server = await TestServer.StartAsync(log, cache.ServeBy, "--health=http://127.0.0.1:0");
        const string Mark = "Now listening on: ";
        string[] addresses = [.. log.Lines.Where(static line => line.Message.StartsWith(Mark, StringComparison.Ordinal)).Select(static line => line.Message[Mark.Length..])];
        Assert.Equal(2, addresses.Length);
        using GrpcChannel ofHealth = GrpcChannel.ForAddress(addresses.Single(address => address != server.Address));
        Health.HealthClient[] clients = [new(server.Channel), new(ofHealth)];
        DateTime end = TimeProvider.System.GetUtcNow().UtcDateTime + Soon.Longest;
        List<AsyncServerStreamingCall<HealthCheckResponse>> watches = [.. clients.SelectMany(client => _names.Select(name => client.Watch(new HealthCheckRequest { Service = name }, deadline: end)))];
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("b") });
        foreach (AsyncServerStreamingCall<HealthCheckResponse> watch in watches)
        {
            Assert.Equal(Serving.Serving, await NextAsync(watch));
        }

        Dictionary<Instrument, int> before = Measured();
        cache.Files.FailAt(cache.Files.Calls + 1, FileFailure.Other);
        _ = Assert.Throws<PilePoisonedException>(cache.Cache.Pile.Commit);

        foreach (AsyncServerStreamingCall<HealthCheckResponse> watch in watches)
        {
            Assert.Equal(Serving.NotServing, await NextAsync(watch));
            watch.Dispose();
        }

        foreach (Health.HealthClient client in clients)
        {
            foreach (string name in _names)
            {
                Assert.Equal(Serving.NotServing, (await client.CheckAsync(new HealthCheckRequest { Service = name }, deadline: end)).Status);
            }
        }

        Assert.Contains(Measured(), after => after.Value == 0 && before.GetValueOrDefault(after.Key) == 1);
        Assert.Equal("b", (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Value.ToStringUtf8());
        RpcException refused = await Assert.ThrowsAsync<RpcException>(async () => await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("c") }));
        Assert.Equal(StatusCode.FailedPrecondition, refused.StatusCode);
    }

    private static async Task<Serving> NextAsync(AsyncServerStreamingCall<HealthCheckResponse> watch)
    {
        Assert.True(await watch.ResponseStream.MoveNext(CancellationToken.None));
        return watch.ResponseStream.Current.Status;
    }

    // By instrument: other servers of the process have one of that name too.
    private static Dictionary<Instrument, int> Measured()
    {
        Dictionary<Instrument, int> measured = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Name == "pile.server.serving")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<int>((instrument, value, _, _) => measured[instrument] = value);
        listener.Start();
        listener.RecordObservableInstruments();
        return measured;
    }
}
