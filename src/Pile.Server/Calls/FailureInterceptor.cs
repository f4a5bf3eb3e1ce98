// Turns what a call throws into what its client is told, for all services alike, and counts it. What nobody has foreseen is in the log, and
// the client is told no more than that.
using System;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Core.Interceptors;
using Microsoft.Extensions.Logging;

namespace Pile.Server.Calls;

/// <summary>The failures of all calls. Thread-safe.</summary>
internal sealed class FailureInterceptor(ServerState state, ServerMetrics metrics, ILogger<FailureInterceptor> logger) : Interceptor
{
    public override Task<TResponse> UnaryServerHandler<TRequest, TResponse>(TRequest request, ServerCallContext context, UnaryServerMethod<TRequest, TResponse> continuation)
    {
        try
        {
            Task<TResponse> call = continuation(request, context);
            return call.IsCompletedSuccessfully ? call : WaitAsync(call, context);
        }
        catch (Exception failure)
        {
            throw Tell(failure, context);
        }
    }

    public override Task<TResponse> ClientStreamingServerHandler<TRequest, TResponse>(IAsyncStreamReader<TRequest> requestStream, ServerCallContext context, ClientStreamingServerMethod<TRequest, TResponse> continuation) =>
        WaitAsync(continuation(requestStream, context), context);

    public override Task ServerStreamingServerHandler<TRequest, TResponse>(TRequest request, IServerStreamWriter<TResponse> responseStream, ServerCallContext context, ServerStreamingServerMethod<TRequest, TResponse> continuation) =>
        WaitAsync(() => continuation(request, responseStream, context), context);

    public override Task DuplexStreamingServerHandler<TRequest, TResponse>(
        IAsyncStreamReader<TRequest> requestStream, IServerStreamWriter<TResponse> responseStream, ServerCallContext context, DuplexStreamingServerMethod<TRequest, TResponse> continuation) =>
        WaitAsync(() => continuation(requestStream, responseStream, context), context);

    /// <summary>What a client is told of an exception.</summary>
    internal static RpcException Told(Exception failure, string method, ServerState state, ILogger logger)
    {
        if (CallFailure.From(failure, state.IsServing) is { } told)
        {
            return told;
        }

        ServerLog.Failed(logger, method, failure);
        return CallFailure.Of(StatusCode.Internal, PileStatus.Refused, "The call failed in a way that nobody has foreseen. The server's log has the error.");
    }

    /// <summary>The detail in the trailers of a failure.</summary>
    internal static V1.ErrorDetail DetailOf(RpcException told) => told.Trailers.Get(CallFailure.DetailTrailer) is { } detail
        ? V1.ErrorDetail.Parser.ParseFrom(detail.ValueBytes)
        : CallFailure.DetailOf(PileStatus.Refused, told.Status.Detail, retryAfterMs: 0);

    private async Task<TResponse> WaitAsync<TResponse>(Task<TResponse> call, ServerCallContext context)
    {
        try
        {
            return await call.ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            throw Tell(failure, context);
        }
    }

    private async Task WaitAsync(Func<Task> call, ServerCallContext context)
    {
        try
        {
            await call().ConfigureAwait(false);

            // A deadline ends the stream before its handler: that sees no more than the end of what comes in.
            if (context.Status.StatusCode != StatusCode.OK)
            {
                metrics.Fail(context.Method, context.Status.StatusCode);
            }
        }
        catch (Exception failure)
        {
            throw Tell(failure, context);
        }
    }

    private RpcException Tell(Exception failure, ServerCallContext context)
    {
        RpcException told = Told(failure, context.Method, state, logger);
        metrics.Fail(context.Method, told.StatusCode);
        return told;
    }
}
