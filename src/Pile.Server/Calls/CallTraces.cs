// The activities "Pile.Server": one for each call, named and tagged by OpenTelemetry's semantic conventions for gRPC, below the caller's by
// the W3C headers traceparent and tracestate. Nothing is made while nobody listens. No tag has a key, a value, a table or a client.
using System.Diagnostics;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Pile.Wire;

namespace Pile.Server.Calls;

/// <summary>The activities of calls. Thread-safe.</summary>
internal static class CallTraces
{
    /// <summary>The name of the source.</summary>
    internal const string SourceName = "Pile.Server";

    private static readonly ActivitySource _source = new(SourceName);

    /// <summary>Whether anybody listens.</summary>
    internal static bool IsOn => _source.HasListeners();

    /// <summary>The activity of a call that begins; null when nobody wants this one.</summary>
    internal static Activity? Begin(HttpContext context, string method)
    {
        ActivityContext parent = ParentOf(context);
        if (parent == default)
        {
            // Else what stands around the call would be above it, which nobody may see.
            Activity.Current = null;
        }

        Activity? span = _source.StartActivity(method, ActivityKind.Server, parent);
        if (span is { IsAllDataRequested: true })
        {
            _ = span.SetTag("rpc.system.name", "grpc").SetTag("rpc.method", method);
            ConnectionInfo connection = context.Connection;
            _ = span.SetTag("server.address", connection.LocalIpAddress?.ToString()).SetTag("server.port", connection.LocalIpAddress is null ? null : connection.LocalPort);
            _ = span.SetTag("client.address", connection.RemoteIpAddress?.ToString()).SetTag("client.port", connection.RemoteIpAddress is null ? null : connection.RemotePort);
        }

        return span;
    }

    /// <summary>Adds how the call has ended.</summary>
    internal static void End(Activity? span, HttpContext context)
    {
        if (span is not { IsAllDataRequested: true })
        {
            return;
        }

        StatusCode code = PlainCall.StatusOf(context);
        string name = StatusNames.Of(code);
        _ = span.SetTag("rpc.response.status_code", name);
        if (code is StatusCode.Unknown or StatusCode.DeadlineExceeded or StatusCode.Unimplemented or StatusCode.Internal or StatusCode.Unavailable or StatusCode.DataLoss)
        {
            _ = span.SetTag("error.type", name).SetStatus(ActivityStatusCode.Error);
        }
    }

    // ASP.NET Core's own activity, where somebody records it: one that was made for the log alone has no source, and nobody would find it.
    private static ActivityContext ParentOf(HttpContext context)
    {
        if (Activity.Current is { Source.Name.Length: > 0 } around)
        {
            return around.Context;
        }

        IHeaderDictionary headers = context.Request.Headers;
        return ActivityContext.TryParse(headers.TraceParent, headers.TraceState, isRemote: true, out ActivityContext remote) ? remote : default;
    }
}
