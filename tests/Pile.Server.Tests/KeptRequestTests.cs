using System;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>What a call keeps of its request while it lasts is little, or counted.</summary>
public sealed class KeptRequestTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task APrefixLongerThanAKeyMayBeIsRefused()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:KeyBytesMax=100");
        async Task WatchAsync(ByteString prefix)
        {
            using AsyncServerStreamingCall<V1.WatchReply> watch = server.Entries.Watch(new V1.WatchRequest { Prefix = prefix }, cancellationToken: Cancel);
            Assert.True(await watch.ResponseStream.MoveNext(Cancel));
        }

        async Task ScanAsync(ByteString prefix) => await server.Entries.ScanAsync(new V1.ScanRequest { Prefix = prefix });
        foreach (Func<ByteString, Task> call in new[] { WatchAsync, ScanAsync })
        {
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, () => call(ByteString.CopyFrom(new byte[101])));
            Assert.Equal(V1.PileStatus.TooLarge, refused.Status);
            Assert.Contains("101 bytes; at most 100 are allowed (KeyBytesMax)", refused.Text, StringComparison.Ordinal);
            await call(ByteString.CopyFrom(new byte[100]));
        }
    }
}
