// What every call of the server passes, in front of gRPC: is the server there, who asks, may it, is it too often. What is refused here has
// cost no message and has not touched the pile. It also counts calls and their bytes, and names slow ones.
using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Net.Http.Headers;
using Pile.Server.Packed;
using Pile.Server.Security;

namespace Pile.Server.Calls;

/// <summary>The gate before all calls. Thread-safe.</summary>
internal sealed class CallGate
{
    private readonly ServerState _state;
    private readonly ClientList _clients;
    private readonly ReceiveBudget _budget;
    private readonly ReceivePace _pace;
    private readonly ReplyPace _replyPace;
    private readonly CallRates? _rates;
    private readonly TimeProvider _time;
    private readonly ILogger<CallGate> _logger;
    private readonly ServiceProviderFeature _services;
    private readonly long _slowTicks;
    private readonly bool _isLong;
    private readonly LogRate _slowLines;
    private readonly LogRate _refusedLines;
    private readonly ServerMetrics _metrics;
    private readonly ReadyCalls _ready;

    public CallGate(
        ServerState state,
        ReceiveBudget budget,
        ReceivePace pace,
        ReplyPace replyPace,
        ServerMetrics metrics,
        ReadyCalls ready,
        IOptions<PileServerOptions> options,
        IServiceProvider services,
        ILogger<CallGate> logger,
        TimeProvider? time = null)
    {
        _state = state;
        _budget = budget;
        _pace = pace;
        _replyPace = replyPace;
        _metrics = metrics;
        _ready = ready;
        _logger = logger;
        _time = time ?? TimeProvider.System;
        _services = new ServiceProviderFeature(services);
        _clients = new ClientList(options.Value, logger, _time);
        _rates = options.Value.CallsPerSecondMax is { } rate ? new CallRates(rate, _time) : null;
        _slowLines = new LogRate(_time);
        _refusedLines = new LogRate(_time);
        _isLong = options.Value.MessageBytesMax > ServerLimits.BodyBytesUsual;
        _slowTicks = (long)(options.Value.SlowCall.TotalSeconds * _time.TimestampFrequency);
    }

    /// <summary>The handler of a method, behind the gate.</summary>
    internal RequestDelegate Before(CalledMethod method) =>
        context => CallTraces.IsOn ? TraceAsync(context, method) : EnterAsync(context, method);

    private async Task TraceAsync(HttpContext context, CalledMethod method)
    {
        using Activity? span = CallTraces.Begin(context, method.Name);
        try
        {
            await EnterAsync(context, method).ConfigureAwait(false);
        }
        finally
        {
            CallTraces.End(span, context);
        }
    }

    private Task EnterAsync(HttpContext context, CalledMethod method)
    {
        if (method.Needed == PileServerAccess.None)
        {
            return RunAsync(context, method);
        }

        if (!_state.IsServing)
        {
            return RefuseAsync(context, method, CallFailure.Of(StatusCode.Unavailable, PileStatus.Disposed, "The server is starting or stopping. Try again, or another one.", ServerLimits.RetryAfterMs));
        }

        ValueTask<CallClient> asking = _clients.FindAsync(context);
        return asking.IsCompletedSuccessfully ? AdmitAsync(context, method, asking.Result) : WaitAsync(context, method, asking);
    }

    private async Task WaitAsync(HttpContext context, CalledMethod method, ValueTask<CallClient> asking)
    {
        CallClient client;
        try
        {
            client = await asking.ConfigureAwait(false);
        }
        catch (RpcException refusal)
        {
            await RefuseAsync(context, method, refusal).ConfigureAwait(false);
            return;
        }

        await AdmitAsync(context, method, client).ConfigureAwait(false);
    }

    private Task AdmitAsync(HttpContext context, CalledMethod method, CallClient client) =>
        Refusal(context, method, client) is { } refusal ? RefuseAsync(context, method, refusal)
        : IsServed(context, method) ? SentAsync(context.Response, method)
        : RunAsync(context, method);

    private RpcException? Refusal(HttpContext context, CalledMethod method, CallClient client)
    {
        PileServerAccess needed = method.Needed;
        if (client.Problem is not null || (client.Access & needed) != needed)
        {
            RpcException refusal = client.Problem is not null
                ? CallFailure.Of(StatusCode.Unauthenticated, PileStatus.Refused, client.Problem)
                : client.Name.Length == 0
                    ? CallFailure.Of(StatusCode.Unauthenticated, PileStatus.Refused, $"{method.Name} needs the access {needed}. Send 'authorization: Bearer ' and a token, or connect with a certificate, that has it.")
                    : CallFailure.Of(StatusCode.PermissionDenied, PileStatus.Refused, $"{method.Name} needs the access {needed}; the client '{client.Name}' has {client.Access}.");
            if (_refusedLines.MayWrite(out long leftOut))
            {
                ServerLog.Refused(_logger, method.Name, client.Name.Length == 0 ? "a client without a name" : client.Name, context.Connection.RemoteIpAddress?.ToString() ?? "", refusal.StatusCode.ToString(), leftOut);
            }

            return IsWithinRate(context, client) ? refusal : TooOften();
        }

        return IsWithinRate(context, client) ? null : TooOften();
    }

    // Who is nobody, or sends a token that is nobody's, is counted by its address.
    private bool IsWithinRate(HttpContext context, CallClient client) =>
        _rates is null || _rates.TryBegin(client.Name.Length > 0 && client.Problem is null ? client.RateName : context.Connection.RemoteIpAddress?.ToString() ?? "");

    private static RpcException TooOften() =>
        CallFailure.Busy("This client begins more calls in a second than it may (CallsPerSecondMax). Try again in a moment, or send batches.");

    // A reply that counts against the budget counts until the client has taken it. What a call that has failed left behind is not waited for.
    private Task SentAsync(HttpResponse response, CalledMethod method) =>
        response.BodyWriter.UnflushedBytes > ServerLimits.ReplyFreeBytes && PlainCall.StatusOf(response.HttpContext) == StatusCode.OK
            ? TakenAsync(response, method) : Task.CompletedTask;

    private async Task TakenAsync(HttpResponse response, CalledMethod method)
    {
        try
        {
            _ = await _replyPace.FlushAsync(response, CancellationToken.None).ConfigureAwait(false);
        }
        catch (RpcException late)
        {
            // It was reset: there is nobody to be told.
            _metrics.Fail(method.Name, late.StatusCode);
        }
    }

    private bool IsServed(HttpContext context, CalledMethod method)
    {
        long began = _time.GetTimestamp();
        if (_isLong)
        {
            // Before anything is read of it.
            LiftSize(context.Features);
        }

        if (method.Kind == PackedKind.None || !_ready.TryServe(context, method.Kind, method.Name))
        {
            return false;
        }

        _metrics.Begin();
        End(context, method, began);
        return true;
    }

    private Task RunAsync(HttpContext context, CalledMethod method) =>
        PlainCall.PackingRefusal(context.Request) is { } refusal ? RefuseAsync(context, method, refusal) : RunTakenAsync(context, method);

    private async Task RunTakenAsync(HttpContext context, CalledMethod method)
    {
        // All services live as long as the server, so that no call needs a scope of its own.
        context.Features.Set<IServiceProvidersFeature>(_services);
        long began = _time.GetTimestamp();
        IRequestBodyPipeFeature body = context.Features.GetRequiredFeature<IRequestBodyPipeFeature>();
        var reader = CountedReader.Begin(body.Reader, _budget, _pace, method);
        context.Features.Set<IRequestBodyPipeFeature>(reader);
        if (context.Request.Headers.GrpcEncoding.Count > 0)
        {
            // BoundedGzip is not told whose messages it unpacks.
            CountedReader.Current = reader;
        }

        LiftSize(context.Features);
        DropOverlongTime(context.Request.Headers);
        _metrics.Begin();
        if (method.Type != MethodType.Unary)
        {
            // Out when its handler has ended and its last frames are Kestrel's: connections are told of the stop only then.
            _state.BeginStream();
            context.Response.OnCompleted(static state =>
            {
                ((ServerState)state).EndStream();
                return Task.CompletedTask;
            }, _state);
        }

        try
        {
            await method.Handler(context).ConfigureAwait(false);
            await SentAsync(context.Response, method).ConfigureAwait(false);
        }
        finally
        {
            context.Features.Set(body);
            reader.End();

            // By what the client is told: gRPC refuses some calls before any handler, and a deadline ends one beside it.
            if (PlainCall.StatusOf(context) is not StatusCode.OK and var status)
            {
                _metrics.Fail(method.Name, status);
            }

            End(context, method, began);
        }
    }

    // The protocol has eight digits for it, and gRPC passes over what it can't read. More hours than those are beyond all time that .NET has, by which gRPC fails.
    private static void DropOverlongTime(IHeaderDictionary headers)
    {
        if (headers.GrpcTimeout is [{ Length: > 9 } time] && time.EndsWith('H'))
        {
            _ = headers.Remove(HeaderNames.GrpcTimeout);
        }
    }

    // Messages have a limit of their own, which may be more than Kestrel's for bodies, and streams have none as a whole.
    private static void LiftSize(IFeatureCollection features)
    {
        if (features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } size)
        {
            size.MaxRequestBodySize = null;
        }
    }

    private void End(HttpContext context, CalledMethod method, long began)
    {
        long ticks = _time.GetTimestamp() - began;
        _metrics.End(ticks / (double)_time.TimestampFrequency, method.Tag);
        if (ticks > _slowTicks && method.Type == MethodType.Unary && _slowLines.MayWrite(out long leftOut))
        {
            ServerLog.Slow(_logger, method.Name, ticks * 1000 / _time.TimestampFrequency, context.Connection.RemoteIpAddress?.ToString() ?? "", leftOut);
        }
    }

    private Task RefuseAsync(HttpContext context, CalledMethod method, RpcException refusal)
    {
        _metrics.Begin();
        _metrics.Fail(method.Name, refusal.StatusCode);
        PlainCall.Fail(context, refusal);
        _metrics.End(0, method.Tag);
        return Task.CompletedTask;
    }

    private sealed class ServiceProviderFeature(IServiceProvider services) : IServiceProvidersFeature
    {
        public IServiceProvider RequestServices { get; set; } = services;
    }
}
