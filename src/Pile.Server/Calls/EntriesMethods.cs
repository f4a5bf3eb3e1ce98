// The methods of pile.v1.Entries. Some are read and written by hand: the same names and the same bytes as the generated ones, by marshallers
// of our own. All others are bound as generated.
using System;
using Grpc.AspNetCore.Server.Model;
using Grpc.Core;
using Pile.Server.Packed;

namespace Pile.Server.Calls;

/// <summary>Binds <see cref="EntriesService"/> to its methods.</summary>
internal sealed class EntriesMethods(EntriesService service) : IServiceMethodProvider<EntriesService>
{
    /// <inheritdoc/>
    public void OnServiceMethodDiscovery(ServiceMethodProviderContext<EntriesService> context) => V1.Entries.BindService(new HotBinder(service, context), service);

    /// <summary>How the request of a method is read by hand; None for one that is not, or that says so itself.</summary>
    internal static PackedKind KindOf(IMethod method) => method.ServiceName != V1.Entries.Descriptor.FullName ? PackedKind.None : method.Name switch
    {
        nameof(V1.Entries.EntriesBase.Get) => PackedKind.Get,
        nameof(V1.Entries.EntriesBase.Set) => PackedKind.Set,
        nameof(V1.Entries.EntriesBase.Remove) => PackedKind.Remove,
        nameof(V1.Entries.EntriesBase.GetMany) => PackedKind.GetMany,
        nameof(V1.Entries.EntriesBase.SetMany) => PackedKind.SetMany,
        nameof(V1.Entries.EntriesBase.RemoveMany) => PackedKind.RemoveMany,
        _ => PackedKind.None,
    };

    private static Method<PackedRequest, PackedReply> Of(IMethod generated, PackedKind kind) => new(
        generated.Type,
        generated.ServiceName,
        generated.Name,
        new Marshaller<PackedRequest>(static (_, _) => throw new NotSupportedException("The server writes no requests."), context => PackedRequest.Read(context.PayloadAsReadOnlySequence(), kind, ServerLimits.BatchItemsMax)),
        new Marshaller<PackedReply>((reply, context) => Write(reply, context, isChoice: kind == PackedKind.None), static _ => throw new NotSupportedException("The server reads no replies.")));

    private static void Write(PackedReply reply, SerializationContext context, bool isChoice)
    {
        context.SetPayloadLength(reply.CountBytes(isChoice));
        reply.Write(context.GetBufferWriter(), isChoice);
        context.Complete();
    }

    // The generated binding, but for the hot methods.
    private sealed class HotBinder(EntriesService service, ServiceMethodProviderContext<EntriesService> context) : CheckedBinder<EntriesService>(context)
    {
        public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, UnaryServerMethod<TRequest, TResponse>? handler)
        {
            if (KindOf(method) is not PackedKind.None and var kind)
            {
                Context.AddUnaryMethod(Of(method, kind), Metadata, (_, request, call) => service.Packed(request, call));
            }
            else
            {
                base.AddMethod(method, handler);
            }
        }

        public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, DuplexStreamingServerMethod<TRequest, TResponse>? handler) =>
            Context.AddDuplexStreamingMethod(Of(method, PackedKind.None), Metadata, (_, requests, replies, call) => service.Batches(requests, replies, call));
    }
}
