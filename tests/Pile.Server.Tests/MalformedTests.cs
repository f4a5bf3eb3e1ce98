using System;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Bytes that are no message are the client's mistake, whatever the service.</summary>
public sealed class MalformedTests
{
    private static readonly byte[] _noMessage = [0xFF, 0xFF, 0xFF];

    [Theory]
    [InlineData("pile.v1.Entries", "Get", MethodType.Unary)]
    [InlineData("pile.v1.Entries", "Increment", MethodType.Unary)]
    [InlineData("pile.v1.Entries", "SetLarge", MethodType.ClientStreaming)]
    [InlineData("pile.v1.Tables", "Create", MethodType.Unary)]
    [InlineData("pile.v1.Tables", "Stats", MethodType.Unary)]
    [InlineData("pile.v1.Admin", "Compact", MethodType.Unary)]
    [InlineData("grpc.health.v1.Health", "Check", MethodType.Unary)]
    [InlineData("grpc.health.v1.Health", "Watch", MethodType.ServerStreaming)]
    [InlineData("grpc.reflection.v1.ServerReflection", "ServerReflectionInfo", MethodType.DuplexStreaming)]
    [InlineData("grpc.reflection.v1alpha.ServerReflection", "ServerReflectionInfo", MethodType.DuplexStreaming)]
    public async Task TheyAreRefusedAndTheLogHasNoFailureOfTheServer(string service, string name, MethodType type)
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:AnonymousAccess=Read,Write,Admin");
        _ = await Failure.OfAsync(StatusCode.InvalidArgument, () => CallAsync(server, service, name, type));
        Assert.DoesNotContain(server.Log.Lines, static line => line.Level >= Microsoft.Extensions.Logging.LogLevel.Error);
    }

    private static async Task CallAsync(TestServer server, string service, string name, MethodType type)
    {
        Marshaller<byte[]> bytes = new(static value => value, static value => value);
        var method = new Method<byte[], byte[]>(type, service, name, bytes, bytes);
        var options = new CallOptions(deadline: TimeProvider.System.GetUtcNow().UtcDateTime + Soon.Longest);
        CallInvoker invoker = server.Channel.CreateCallInvoker();
        switch (type)
        {
            case MethodType.Unary:
                _ = await invoker.AsyncUnaryCall(method, null, options, _noMessage);
                break;
            case MethodType.ClientStreaming:
                using (AsyncClientStreamingCall<byte[], byte[]> call = invoker.AsyncClientStreamingCall(method, null, options))
                {
                    await call.RequestStream.WriteAsync(_noMessage);
                    _ = await call;
                }

                break;
            case MethodType.ServerStreaming:
                using (AsyncServerStreamingCall<byte[]> call = invoker.AsyncServerStreamingCall(method, null, options, _noMessage))
                {
                    _ = await call.ResponseStream.MoveNext(default);
                }

                break;
            default:
                using (AsyncDuplexStreamingCall<byte[], byte[]> call = invoker.AsyncDuplexStreamingCall(method, null, options))
                {
                    await call.RequestStream.WriteAsync(_noMessage);
                    _ = await call.ResponseStream.MoveNext(default);
                }

                break;
        }
    }
}
