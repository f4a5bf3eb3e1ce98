// The OTLP exporter of the program. It is made only when there is an endpoint, and sends once more before the cache is closed, while what is
// polled can still be asked.
using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;
using Pile.Server.Calls;

namespace Pile.Server.Running;

/// <summary>Sends measurements and activities.</summary>
/// <param name="meters">The measurements.</param>
/// <param name="tracers">The activities.</param>
internal sealed class TelemetryExport(MeterProvider meters, TracerProvider tracers) : IHostedService
{
    private const string ServiceName = "pile-server";
    private const string CacheMeter = "Pile.Cache";

    /// <summary>Adds the export that the options ask for; nothing where they ask for none.</summary>
    internal static void AddTo(IServiceCollection services, TelemetryOptions telemetry)
    {
        if (telemetry.OtlpEndpoint is not { } endpoint)
        {
            return;
        }

        void Send(OtlpExporterOptions options, string path)
        {
            options.Protocol = telemetry.OtlpProtocol;
            options.Endpoint = telemetry.OtlpProtocol == OtlpExportProtocol.HttpProtobuf ? new Uri(endpoint.TrimEnd('/') + path) : new Uri(endpoint);
        }

        IOpenTelemetryBuilder builder = services.AddOpenTelemetry().ConfigureResource(static resource => resource.AddService(ServiceName, serviceVersion: typeof(TelemetryExport).Assembly.GetName().Version?.ToString()).AddEnvironmentVariableDetector());
        _ = builder.WithMetrics(metrics => ByTable(metrics)
            .AddMeter(ServerMetrics.MeterName, "Pile", CacheMeter, "Microsoft.AspNetCore.Server.Kestrel", "System.Runtime")
            .AddOtlpExporter((options, reader) =>
            {
                Send(options, "/v1/metrics");
                reader.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds = (int)telemetry.MetricsInterval.TotalMilliseconds;
            }));
        _ = builder.WithTracing(traces => traces
            .AddSource(CallTraces.SourceName, CacheMeter)
            .SetSampler(new ParentBasedSampler(new TraceIdRatioBasedSampler(telemetry.TraceRatio)))
            .AddOtlpExporter(options => Send(options, "/v1/traces")));
        _ = services.AddHostedService<TelemetryExport>();
    }

    // A table has up to two points of an instrument, as hits and misses are. Beyond the SDK's limit those of all other tables would come as one without a name.
    private static MeterProviderBuilder ByTable(MeterProviderBuilder metrics) => ((IDeferredMeterProviderBuilder)metrics).Configure(static (services, configured) =>
    {
        int tables = int.Min(services.GetRequiredService<IOptions<PileServerOptions>>().Value.TablesMax, ServerLimits.TelemetryTablesMax);
        var limit = new MetricStreamConfiguration { CardinalityLimit = int.Max(ServerLimits.MetricPointsMin, 2 * (tables + 1)) };
        _ = configured.AddView(instrument => instrument.Meter.Name == CacheMeter && instrument.IsObservable ? limit : null);
    });

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.Run(
        () =>
        {
            _ = meters.ForceFlush(ServerLimits.TelemetryEndWaitMs);
            _ = tracers.ForceFlush(ServerLimits.TelemetryEndWaitMs);
        },
        CancellationToken.None);
}
