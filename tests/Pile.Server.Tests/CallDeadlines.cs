using System;
using Grpc.Core;
using Grpc.Core.Interceptors;

namespace Pile.Server.Tests;

/// <summary>Gives a deadline to calls without one, so that a call that nobody answers fails its test and does not hang it.</summary>
internal sealed class CallDeadlines : Interceptor
{
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(1);

    public override AsyncUnaryCall<TResponse> AsyncUnaryCall<TRequest, TResponse>(
        TRequest request, ClientInterceptorContext<TRequest, TResponse> context, AsyncUnaryCallContinuation<TRequest, TResponse> continuation)
    {
        CallOptions options = context.Options.Deadline is null ? context.Options.WithDeadline(TimeProvider.System.GetUtcNow().UtcDateTime + _longest) : context.Options;
        return continuation(request, new ClientInterceptorContext<TRequest, TResponse>(context.Method, context.Host, options));
    }
}
