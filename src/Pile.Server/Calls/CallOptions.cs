// gRPC's own options for the services of the server, and for no other service of the same host: the limit of messages, bounded
// decompression, and one way for failures.
using Grpc.AspNetCore.Server;
using Microsoft.Extensions.Options;

namespace Pile.Server.Calls;

/// <summary>Options of one of the server's services.</summary>
internal sealed class CallOptions<TService>(IOptions<PileServerOptions> served) : IConfigureOptions<GrpcServiceOptions<TService>>
    where TService : class
{
    /// <inheritdoc/>
    public void Configure(GrpcServiceOptions<TService> options)
    {
        int bytesMax = typeof(TService) == typeof(HealthService) || typeof(TService) == typeof(Reflection) || typeof(TService) == typeof(AlphaReflection)
            ? ServerLimits.NameMessageBytesMax
            : served.Value.MessageBytesMax;
        options.MaxReceiveMessageSize = bytesMax;
        options.MaxSendMessageSize = null;
        options.CompressionProviders = [new BoundedGzip(bytesMax)];
        options.Interceptors.Add<FailureInterceptor>();
    }
}
