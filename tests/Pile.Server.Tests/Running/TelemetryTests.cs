using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using Pile.Server.Calls;
using Xunit;
using StatusCode = Grpc.Core.StatusCode;

namespace Pile.Server.Tests.Running;

/// <summary>What is sent to a receiver of OTLP, and that nothing is made where there is none.</summary>
[Collection(Alone.Name)]
public sealed class TelemetryTests
{
    private const string TraceId = "0123456789abcdef0123456789abcdef";
    private const string ParentId = "fedcba9876543210";
    private static readonly V1.GetRequest _get = new() { Key = Batches.Bytes("marked-key") };

    [Theory]
    [InlineData("Grpc")]
    [InlineData("HttpProtobuf")]
    public async Task MeasurementsAndActivitiesReachTheReceiver(string protocol)
    {
        await using TelemetryReceiver receiver = await TelemetryReceiver.StartAsync(protocol == "Grpc");
        await using (TestServer server = await TestServer.StartAsync($"--PileTelemetry:OtlpEndpoint={receiver.Address}", $"--PileTelemetry:OtlpProtocol={protocol}"))
        {
            Assert.True(CallTraces.IsOn);
            _ = await server.Entries.GetAsync(_get, new Metadata { { "traceparent", $"00-{TraceId}-{ParentId}-01" }, { "tracestate", "vendor=marked" } });
            _ = await Failure.OfAsync(StatusCode.InvalidArgument, async () => await server.Entries.GetAsync(new V1.GetRequest()));
            _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await new V1.Admin.AdminClient(server.Channel).VerifyAsync(new V1.VerifyRequest()));
            await server.StopAsync().WaitAsync(TimeSpan.FromMinutes(1));
        }

        // Text and bytes stand in a protobuf message as they are.
        string traces = All(receiver.Traces);
        string[] parts = ["pile-server", "Pile.Server", "pile.v1.Entries/Get", "pile.v1.Admin/Verify", "rpc.system.name", "grpc", "rpc.method", "rpc.response.status_code", "OK", "INVALID_ARGUMENT", "UNAUTHENTICATED",
            "server.address", "client.address", "127.0.0.1", "vendor=marked", Encoding.Latin1.GetString(Convert.FromHexString(TraceId)), Encoding.Latin1.GetString(Convert.FromHexString(ParentId))];
        Assert.All(parts, part => Assert.Contains(part, traces, StringComparison.Ordinal));
        string metrics = All(receiver.Metrics);
        string[] names = ["pile-server", "pile.server.call.duration", "pile.server.call.failures", "pile.server.calls.running", "pile.server.receiving", "pile.cache.requests", "pile.memory.used", "kestrel.active_connections", "dotnet.gc.collections", "pile.v1.Entries/Get", "INVALID_ARGUMENT"];
        Assert.All(names, name => Assert.Contains(name, metrics, StringComparison.Ordinal));
        Assert.DoesNotContain("marked-key", traces + metrics, StringComparison.Ordinal);
    }

    /// <summary>More than OpenTelemetry has points for, unless told.</summary>
    [Fact]
    public async Task AsManyTablesAsThereMayBeHavePointsOfTheirOwn()
    {
        await using TelemetryReceiver receiver = await TelemetryReceiver.StartAsync(isGrpc: false);
        await using (TestServer server = await TestServer.StartAsync($"--PileTelemetry:OtlpEndpoint={receiver.Address}", "--PileTelemetry:OtlpProtocol=HttpProtobuf", "--memory-limit=268435456"))
        {
            for (int table = 1; table < ServerLimits.TablesDefault; table++)
            {
                _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = $"marked-{table:D4}" });
            }

            await server.StopAsync().WaitAsync(TimeSpan.FromMinutes(1));
        }

        string metrics = All(receiver.Metrics);
        Assert.Contains($"marked-{ServerLimits.TablesDefault - 1:D4}", metrics, StringComparison.Ordinal);
        Assert.DoesNotContain("otel.metric.overflow", metrics, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CallsWithoutAParentAreTracedAsOftenAsTheRatioSaysAndOthersAsTheirCallerDid()
    {
        await using TelemetryReceiver receiver = await TelemetryReceiver.StartAsync(isGrpc: true);
        await using (TestServer server = await TestServer.StartAsync($"--PileTelemetry:OtlpEndpoint={receiver.Address}", "--PileTelemetry:TraceRatio=0"))
        {
            _ = await server.Entries.GetAsync(_get);
            _ = await server.Entries.GetAsync(_get, new Metadata { { "traceparent", $"00-{new string('1', 32)}-{ParentId}-00" } });
            _ = await server.Entries.GetAsync(_get, new Metadata { { "traceparent", "nonsense" } });
            _ = await server.Entries.RefreshAsync(new V1.RefreshRequest { Key = _get.Key }, new Metadata { { "traceparent", $"00-{TraceId}-{ParentId}-01" } });
            await server.StopAsync().WaitAsync(TimeSpan.FromMinutes(1));
        }

        string traces = All(receiver.Traces);
        Assert.Contains("pile.v1.Entries/Refresh", traces, StringComparison.Ordinal);
        Assert.DoesNotContain("pile.v1.Entries/Get", traces, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AReceiverThatIsNotThereHoldsUpNeitherCallsNorTheStop()
    {
        await using TestServer server = await TestServer.StartAsync("--PileTelemetry:OtlpEndpoint=http://127.0.0.1:1");
        _ = await server.Entries.GetAsync(_get);
        await server.StopAsync().WaitAsync(TimeSpan.FromMinutes(1));
    }

    [Fact]
    public async Task WithoutAnEndpointNothingIsMade()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.GetAsync(_get, new Metadata { { "traceparent", $"00-{TraceId}-{ParentId}-01" } });
        Assert.False(CallTraces.IsOn);
        Assert.Null(server.Services.GetService<MeterProvider>());
        Assert.Null(server.Services.GetService<TracerProvider>());
    }

    private static string All(IEnumerable<byte[]> messages) => string.Concat(messages.Select(Encoding.Latin1.GetString));
}
