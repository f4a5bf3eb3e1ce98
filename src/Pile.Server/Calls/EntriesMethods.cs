// The methods of pile.v1.Entries. Some are read and written by hand: the same names and the same bytes as the generated ones, by marshallers
// of our own. All others are bound as generated.
using System;
using System.Collections.Generic;
using Grpc.AspNetCore.Server.Model;
using Grpc.Core;
using Microsoft.AspNetCore.Routing;
using Pile.Server.Packed;

namespace Pile.Server.Calls;

/// <summary>Binds <see cref="EntriesService"/> to its methods.</summary>
internal sealed class EntriesMethods(EntriesService service) : IServiceMethodProvider<EntriesService>
{
    /// <summary>Does nothing: gRPC asks the service itself how it is bound, and it is bound by this class.</summary>
    public static void Bind(ServiceBinderBase _, EntriesService? __)
    {
    }

    /// <inheritdoc/>
    public void OnServiceMethodDiscovery(ServiceMethodProviderContext<EntriesService> context) => V1.Entries.BindService(new HotBinder(service, context), service);

    private static Method<PackedRequest, PackedReply> Of(IMethod generated, PackedKind kind, Action<PackedReply, SerializationContext> write) => new(
        generated.Type,
        generated.ServiceName,
        generated.Name,
        new Marshaller<PackedRequest>(static (_, _) => throw new NotSupportedException("The server writes no requests."), context => PackedRequest.Read(context.PayloadAsReadOnlySequence(), kind, ServerLimits.BatchItemsMax)),
        new Marshaller<PackedReply>(write, static _ => throw new NotSupportedException("The server reads no replies.")));

    // The generated binding, but for the hot methods.
    private sealed class HotBinder(EntriesService service, ServiceMethodProviderContext<EntriesService> context) : ServiceBinderBase
    {
        private static IList<object> Metadata => [new HttpMethodMetadata(["POST"])];

        public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, UnaryServerMethod<TRequest, TResponse>? handler)
        {
            switch (method.Name)
            {
                case nameof(EntriesService.Get):
                    Add(Of(method, PackedKind.Get, static (reply, context) => reply.WriteGet(context)), service.Get);
                    break;
                case nameof(EntriesService.GetMany):
                    Add(Of(method, PackedKind.GetMany, static (reply, context) => reply.WriteBatch(context)), service.GetMany);
                    break;
                case nameof(EntriesService.SetMany):
                    Add(Of(method, PackedKind.SetMany, static (reply, context) => reply.WriteBatch(context)), service.SetMany);
                    break;
                case nameof(EntriesService.RemoveMany):
                    Add(Of(method, PackedKind.RemoveMany, static (reply, context) => reply.WriteBatch(context)), service.RemoveMany);
                    break;
                default:
                    context.AddUnaryMethod(CheckedMethod.Of(method), Metadata, (_, request, call) => handler!(request, call));
                    break;
            }
        }

        public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, ClientStreamingServerMethod<TRequest, TResponse>? handler) =>
            context.AddClientStreamingMethod(CheckedMethod.Of(method), Metadata, (_, requests, call) => handler!(requests, call));

        public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, ServerStreamingServerMethod<TRequest, TResponse>? handler) =>
            context.AddServerStreamingMethod(CheckedMethod.Of(method), Metadata, (_, request, replies, call) => handler!(request, replies, call));

        public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, DuplexStreamingServerMethod<TRequest, TResponse>? handler) =>
            context.AddDuplexStreamingMethod(
                Of(method, PackedKind.None, static (reply, context) => reply.WriteChoice(context)), Metadata, (_, requests, replies, call) => service.Batches(requests, replies, call));

        private void Add(Method<PackedRequest, PackedReply> method, UnaryServerMethod<PackedRequest, PackedReply> handler) =>
            context.AddUnaryMethod(method, Metadata, (_, request, call) => handler(request, call));
    }
}
