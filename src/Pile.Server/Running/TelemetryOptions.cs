// Where the program sends its measurements and activities. Off unless an endpoint is set; then the OpenTelemetry SDK does the work, and its own
// variables (OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME ...) count too. A host that maps the server itself has its own words.
using System;
using System.Collections.Generic;
using Microsoft.Extensions.Configuration;
using OpenTelemetry.Exporter;
using Pile.Hosting;

namespace Pile.Server.Running;

/// <summary>The section <c>PileTelemetry</c> of the configuration.</summary>
internal sealed class TelemetryOptions : IConfiguredOptions
{
    internal const string Section = "PileTelemetry";

    /// <summary>Address of an OTLP receiver, as http://127.0.0.1:4317; null: nothing is sent.</summary>
    internal string? OtlpEndpoint { get; set; }

    /// <summary>How it is sent. By HTTP, <c>/v1/metrics</c> and <c>/v1/traces</c> follow the endpoint.</summary>
    internal OtlpExportProtocol OtlpProtocol { get; set; } = OtlpExportProtocol.Grpc;

    /// <summary>Between two messages with measurements.</summary>
    internal TimeSpan MetricsInterval { get; set; } = ServerLimits.MetricsIntervalDefault;

    /// <summary>Which part of the calls is traced whose caller says nothing of it, 0 to 1.</summary>
    internal double TraceRatio { get; set; } = 1;

    public List<string> Problems { get; } = [];

    internal static IReadOnlyList<PileSetting<TelemetryOptions>> Settings { get; } =
    [
        PileSetting<TelemetryOptions>.Text(nameof(OtlpEndpoint), "an address", static (options, text) => options.OtlpEndpoint = text),
        PileSetting<TelemetryOptions>.Choice<OtlpExportProtocol>(nameof(OtlpProtocol), static (options, value) => options.OtlpProtocol = value),
        PileSetting<TelemetryOptions>.Duration(nameof(MetricsInterval), static (options, value) => options.MetricsInterval = value),
        PileSetting<TelemetryOptions>.Ratio(nameof(TraceRatio), static (options, value) => options.TraceRatio = value),
    ];

    /// <summary>Reads and judges the section.</summary>
    internal static TelemetryOptions Read(IConfiguration configuration)
    {
        var options = new TelemetryOptions();
        SettingReader.Read(configuration.GetSection(Section), options, "telemetry", Settings);
        if (options.OtlpEndpoint is { } endpoint && !(Uri.TryCreate(endpoint, UriKind.Absolute, out Uri? uri) && (uri.Scheme == Uri.UriSchemeHttp || uri.Scheme == Uri.UriSchemeHttps)))
        {
            options.Problems.Add($"{Section}:{nameof(OtlpEndpoint)} = '{endpoint}' is no address: write http://127.0.0.1:4317 or https://collector.example:4317.");
        }

        if (options.MetricsInterval < ServerLimits.MetricsIntervalMin || options.MetricsInterval > ServerLimits.MetricsIntervalMax)
        {
            options.Problems.Add($"{Section}:{nameof(MetricsInterval)} = {options.MetricsInterval} must lie between {ServerLimits.MetricsIntervalMin} and {ServerLimits.MetricsIntervalMax}.");
        }

        if (options.TraceRatio is not (>= 0 and <= 1))
        {
            options.Problems.Add(FormattableString.Invariant($"{Section}:{nameof(TraceRatio)} = {options.TraceRatio} must lie between 0 and 1."));
        }

        return options;
    }
}
