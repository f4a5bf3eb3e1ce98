using System;
using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging;

namespace Pile.Server.Tests.Running;

/// <summary>A receiver of OTLP on the loopback address: keeps what comes, and says that it was taken.</summary>
internal sealed class TelemetryReceiver : IAsyncDisposable
{
    private readonly WebApplication _application;

    private TelemetryReceiver(WebApplication application) => _application = application;

    internal string Address => _application.Urls.First();

    /// <summary>The messages, by whether they are measurements or activities.</summary>
    internal ConcurrentQueue<byte[]> Metrics { get; } = new();

    internal ConcurrentQueue<byte[]> Traces { get; } = new();

    internal static async Task<TelemetryReceiver> StartAsync(bool isGrpc)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        _ = builder.Logging.ClearProviders();
        _ = builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, options => options.Protocols = isGrpc ? HttpProtocols.Http2 : HttpProtocols.Http1));
        var receiver = new TelemetryReceiver(builder.Build());
        string[] paths = isGrpc
            ? ["/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"]
            : ["/v1/metrics", "/v1/traces"];
        _ = receiver._application.MapPost(paths[0], context => TakeAsync(context, receiver.Metrics, isGrpc));
        _ = receiver._application.MapPost(paths[1], context => TakeAsync(context, receiver.Traces, isGrpc));
        await receiver._application.StartAsync();
        return receiver;
    }

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    private static async Task TakeAsync(HttpContext context, ConcurrentQueue<byte[]> messages, bool isGrpc)
    {
        using MemoryStream body = new();
        await context.Request.Body.CopyToAsync(body);
        messages.Enqueue(body.ToArray());
        context.Response.ContentType = isGrpc ? "application/grpc" : "application/x-protobuf";
        if (isGrpc)
        {
            await context.Response.Body.WriteAsync(new byte[5]);
            context.Response.AppendTrailer("grpc-status", "0");
        }
    }
}
