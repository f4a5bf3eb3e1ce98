// gRPC's client on connections of its own, which nothing else has. Who shares one, and what becomes of calls that fail, is ServerLink's and
// LargeChannels' business.
using System;
using System.Net.Http;
using System.Net.Security;
using Grpc.Net.Client;

namespace Pile.Client.Calls;

/// <summary>A channel to a server. Thread-safe.</summary>
internal sealed class ServerChannel : IDisposable
{
    private readonly HttpMessageInvoker _invoker;

    internal ServerChannel(PileClientOptions options, Uri uri, SslClientAuthenticationOptions? ssl, TimeSpan idleMax)
    {
        _invoker = new HttpMessageInvoker(Connector.HandlerOf(options, ssl, idleMax), disposeHandler: true);
        Calls = GrpcChannel.ForAddress(uri, new GrpcChannelOptions
        {
            HttpHandler = new LentHandler(_invoker),
            MaxReceiveMessageSize = null,
            MaxSendMessageSize = null,
            ThrowOperationCanceledOnCancellation = false,
        });
        Entries = new V1.Entries.EntriesClient(Calls);
    }

    internal GrpcChannel Calls { get; }

    internal V1.Entries.EntriesClient Entries { get; }

    /// <summary>Ends its calls and connections.</summary>
    public void Dispose()
    {
        Calls.Dispose();
        _invoker.Dispose();
    }
}
