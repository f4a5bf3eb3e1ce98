// Generated methods whose requests are checked as those that are read by hand: bytes that are no message are the client's mistake, which it
// is told. To gRPC itself they are a failure of the server's, with a line in the log for each. Fields that the server does not know are passed over.
using System;
using System.Collections.Generic;
using Google.Protobuf;
using Grpc.AspNetCore.Server.Model;
using Grpc.Core;
using Microsoft.AspNetCore.Routing;

namespace Pile.Server.Calls;

/// <summary>Adds the methods of a service.</summary>
/// <param name="context">Where to.</param>
internal class CheckedBinder<TService>(ServiceMethodProviderContext<TService> context) : ServiceBinderBase
    where TService : class
{
    protected static IList<object> Metadata => [new HttpMethodMetadata(["POST"])];

    protected ServiceMethodProviderContext<TService> Context => context;

    public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, UnaryServerMethod<TRequest, TResponse>? handler) =>
        context.AddUnaryMethod(Checked(method), Metadata, (_, request, call) => handler!(request, call));

    public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, ClientStreamingServerMethod<TRequest, TResponse>? handler) =>
        context.AddClientStreamingMethod(Checked(method), Metadata, (_, requests, call) => handler!(requests, call));

    public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, ServerStreamingServerMethod<TRequest, TResponse>? handler) =>
        context.AddServerStreamingMethod(Checked(method), Metadata, (_, request, replies, call) => handler!(request, replies, call));

    public override void AddMethod<TRequest, TResponse>(Method<TRequest, TResponse> method, DuplexStreamingServerMethod<TRequest, TResponse>? handler) =>
        context.AddDuplexStreamingMethod(Checked(method), Metadata, (_, requests, replies, call) => handler!(requests, replies, call));

    private static Method<TRequest, TReply> Checked<TRequest, TReply>(Method<TRequest, TReply> method)
        where TRequest : class
    {
        MessageParser parser = ((IMessage)Activator.CreateInstance<TRequest>()).Descriptor.Parser.WithDiscardUnknownFields(true);
        return new(
            method.Type, method.ServiceName, method.Name, new Marshaller<TRequest>(method.RequestMarshaller.ContextualSerializer, call => Read<TRequest>(parser, call)), method.ResponseMarshaller);
    }

    internal static TRequest Read<TRequest>(MessageParser parser, DeserializationContext call)
        where TRequest : class
    {
        try
        {
            return (TRequest)parser.ParseFrom(call.PayloadAsReadOnlySequence());
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw CallFailure.From(malformed, isServing: true)!;
        }
        catch (OutOfMemoryException)
        {
            throw CallFailure.NoMemory(call.PayloadLength);
        }
    }
}
