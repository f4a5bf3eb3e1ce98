// A cache whose meters and activities are exported by OTLP: to http://localhost:4318 over HTTP, or where OTEL_EXPORTER_OTLP_ENDPOINT says.
// All that a program adds for it are the names: the meters "Pile" and "Pile.Cache", the activities "Pile.Cache".
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using OtlpExport;
using Pile.Caching;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
_ = builder.AddPileCache(static options =>
{
    options.InMemory = true;
    options.Cache = options.Cache with { MemoryLimitBytes = options.Cache.MemoryLimitBytes ?? 64 << 20 };
});
_ = builder.Services.Configure<OtlpExporterOptions>(static options => options.Protocol = OtlpExportProtocol.HttpProtobuf);
_ = builder.Services.AddOpenTelemetry()
    .WithMetrics(static metrics => metrics.AddMeter("Pile", "Pile.Cache").AddOtlpExporter())
    .WithTracing(static traces => traces.AddSource("Pile.Cache").AddOtlpExporter());
_ = builder.Services.AddHostedService<Worker>();
using IHost host = builder.Build();
await host.RunAsync();
