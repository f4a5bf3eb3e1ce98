using System;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Pile.Hosting.Tests;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests.Security;

/// <summary>Calls that a client may begin in a second.</summary>
public sealed class RateTests
{
    [Fact]
    public async Task AClientThatIsTooOftenThereIsRefusedBeforeThePileIsTouchedAndOthersAreNot()
    {
        var time = new MovedTime();
        await using TestServer server = await TestServer.StartAsync(new RecordedLog(), builder => builder.Services.AddSingleton<TimeProvider>(time), ["--PileServer:CallsPerSecondMax=2", .. Client("one"), .. Client("two")]);
        var set = new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("b") };
        var get = new V1.GetRequest { Key = Batches.Bytes("a") };

        Assert.False((await server.Entries.GetAsync(get, Token("one"))).Found);
        Assert.False((await server.Entries.GetAsync(get, Token("one"))).Found);
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.SetAsync(set, Token("one")));
        Assert.Equal((V1.PileStatus.Busy, (ulong)ServerLimits.RetryAfterMs), (refused.Status, refused.RetryAfterMs));
        RpcException again = await Assert.ThrowsAsync<RpcException>(async () => await server.Entries.SetAsync(set, Token("one")));
        Assert.Equal("100", again.Trailers.GetValue(CallFailure.RetryTrailer));
        Assert.False((await server.Entries.GetAsync(get, Token("two"))).Found);

        time.Move(TimeSpan.FromMilliseconds(500));
        _ = await server.Entries.SetAsync(set, Token("one"));
        _ = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.GetAsync(get, Token("one")));
        Assert.True((await server.Entries.GetAsync(get, Token("two"))).Found);
    }

    [Fact]
    public async Task WhoSendsTokensThatAreNobodysIsTooOftenThereToo()
    {
        var time = new MovedTime();
        await using TestServer server = await TestServer.StartAsync(new RecordedLog(), builder => builder.Services.AddSingleton<TimeProvider>(time), ["--PileServer:CallsPerSecondMax=2", .. Client("one")]);
        var get = new V1.GetRequest { Key = Batches.Bytes("a") };
        for (int call = 0; call < 2; call++)
        {
            _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(get, Token("nobody")));
        }

        _ = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.GetAsync(get, Token("nobody")));
        Assert.False((await server.Entries.GetAsync(get, Token("one"))).Found);
        time.Move(TimeSpan.FromMilliseconds(500));
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(get, Token("nobody")));
    }

    private static string[] Client(string name) =>
        [$"--PileClients:{name}:TokenSha256={Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(name)))}", $"--PileClients:{name}:Access=Read,Write"];

    private static Metadata Token(string token) => new() { { "authorization", "Bearer " + token } };
}
