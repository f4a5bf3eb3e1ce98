// Turns what a call throws into what its client is told, for all services alike. What nobody has foreseen is in the log, and the client is
// told no more than that. Who counts failures is the gate, by what the client was told.
using System;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Core.Interceptors;
using Microsoft.Extensions.Logging;

namespace Pile.Server.Calls;

/// <summary>The failures of all calls. Thread-safe.</summary>
internal sealed class FailureInterceptor(ServerState state, ILogger<FailureInterceptor> logger) : Interceptor
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
    /// <param name="failure">The exception.</param>
    /// <param name="method">The method, for the log.</param>
    /// <param name="mayBeDoneAgain">Whether the call is none that stores.</param>
    /// <param name="state">Whether the server stops.</param>
    /// <param name="logger">The log.</param>
    internal static RpcException Told(Exception failure, string method, bool mayBeDoneAgain, ServerState state, ILogger logger)
    {
        if (CallFailure.From(failure, state.IsServing, mayBeDoneAgain) is { } told)
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
        }
        catch (Exception failure)
        {
            throw Tell(failure, context);
        }
    }

    private RpcException Tell(Exception failure, ServerCallContext context)
    {
        // A reply to a client that has gone meanwhile is an operation that can't be, as grpc-dotnet has it.
        bool isGone = failure is InvalidOperationException and not ObjectDisposedException && context.CancellationToken.IsCancellationRequested;
        return Told(isGone ? new OperationCanceledException(failure.Message, failure) : failure, context.Method, CalledMethod.MayBeDoneAgain(context.Method), state, logger);
    }
}
