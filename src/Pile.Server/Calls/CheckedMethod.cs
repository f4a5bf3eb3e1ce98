// A generated method whose requests are checked as those that are read by hand: bytes that are no message are the client's mistake, which it
// is told. To gRPC itself they are a failure of the server's, with a line in the log for each.
using Google.Protobuf;
using Grpc.Core;

namespace Pile.Server.Calls;

/// <summary>Generated methods as they are bound.</summary>
internal static class CheckedMethod
{
    internal static Method<TRequest, TReply> Of<TRequest, TReply>(Method<TRequest, TReply> method) => new(
        method.Type, method.ServiceName, method.Name, new Marshaller<TRequest>(method.RequestMarshaller.ContextualSerializer, context => Read(method.RequestMarshaller, context)), method.ResponseMarshaller);

    private static TRequest Read<TRequest>(Marshaller<TRequest> marshaller, DeserializationContext context)
    {
        try
        {
            return marshaller.ContextualDeserializer(context);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw CallFailure.From(malformed, isServing: true)!;
        }
    }
}
