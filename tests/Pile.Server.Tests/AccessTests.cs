using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Health.V1;
using Grpc.Reflection.V1;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Who may do what.</summary>
public sealed class AccessTests
{
    private static readonly V1.SetRequest _set = new() { Key = Batches.Bytes("a"), Value = Batches.Bytes("secret-value") };
    private static readonly V1.GetRequest _get = new() { Key = Batches.Bytes("a") };

    [Fact]
    public async Task EachCallNeedsItsAccess()
    {
        await using TestServer server = await TestServer.StartAsync([.. Client("reader", "read-token", "Read"), .. Client("writer", "write-token", "read, WRITE"), .. Client("admin", "admin-token", "Read,Write,Admin")]);
        V1.Admin.AdminClient admin = new(server.Channel);
        _ = await server.Entries.SetAsync(_set, Token("write-token"));

        Assert.True((await server.Entries.GetAsync(_get, Token("read-token"))).Found);
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.PermissionDenied, async () => await server.Entries.RemoveAsync(new V1.RemoveRequest { Key = _get.Key }, Token("read-token")));
        Assert.Equal((V1.PileStatus.Refused, "pile.v1.Entries/Remove needs the access Write; the client 'reader' has Read."), (refused.Status, refused.Text));
        _ = await Failure.OfAsync(StatusCode.PermissionDenied, async () => await admin.VerifyAsync(new V1.VerifyRequest(), Token("write-token")));
        Assert.True((await admin.VerifyAsync(new V1.VerifyRequest(), Token("admin-token"))).IsGood);
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get));
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, Token("other")));
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, new Metadata { { "authorization", "Basic read-token" } }));
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, Token(new string('x', 5000))));
        Assert.True((await server.Entries.GetAsync(_get, Token("read-token"))).Found);

        using AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> call = server.Entries.Batches(Token("read-token"));
        RpcException streamed = await Assert.ThrowsAsync<RpcException>(async () => await call.ResponseStream.MoveNext(TestContext.Current.CancellationToken));
        Assert.Equal(StatusCode.PermissionDenied, streamed.StatusCode);
        Assert.DoesNotContain(server.Log.Lines, static line => line.Message.Contains("-token", StringComparison.Ordinal) || line.Message.Contains("secret-value", StringComparison.Ordinal));
        Assert.Contains(server.Log.Lines, static line => line.Id.Id == 305 && line.Message.Contains("reader", StringComparison.Ordinal));
    }

    [Fact]
    public async Task WithoutClientsEverybodyReadsAndWritesAndNobodyIsAdmin()
    {
        await using TestServer server = await TestServer.StartAsync();
        _ = await server.Entries.SetAsync(_set);
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await new V1.Admin.AdminClient(server.Channel).CompactAsync(new V1.CompactRequest()));
        await using TestServer open = await TestServer.StartAsync("--PileServer:AnonymousAccess=Admin");
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await open.Entries.SetAsync(_set));
        Assert.True((await new V1.Admin.AdminClient(open.Channel).CompactAsync(new V1.CompactRequest { UsedOverLiveMax = 2 })).ReachedRatio);
    }

    [Fact]
    public async Task HealthIsToldToEverybodyAndReflectionToReaders()
    {
        await using TestServer server = await TestServer.StartAsync(Client("reader", "read-token", "Read"));
        Health.HealthClient health = new(server.Channel);
        foreach (string service in new[] { "", "pile.v1.Entries", "pile.v1.Tables", "pile.v1.Admin" })
        {
            Assert.Equal(HealthCheckResponse.Types.ServingStatus.Serving, (await health.CheckAsync(new HealthCheckRequest { Service = service })).Status);
        }

        _ = await Failure.OfAsync(StatusCode.NotFound, async () => await health.CheckAsync(new HealthCheckRequest { Service = "other" }));
        using AsyncDuplexStreamingCall<ServerReflectionRequest, ServerReflectionResponse> call = new ServerReflection.ServerReflectionClient(server.Channel).ServerReflectionInfo(Token("read-token"));
        await call.RequestStream.WriteAsync(new ServerReflectionRequest { ListServices = "" });
        Assert.True(await call.ResponseStream.MoveNext(TestContext.Current.CancellationToken));
        string[] services = [.. call.ResponseStream.Current.ListServicesResponse.Service.Select(static service => service.Name)];
        Assert.Empty(new[] { "grpc.health.v1.Health", "pile.v1.Admin", "pile.v1.Entries", "pile.v1.Tables" }.Except(services));
        await call.RequestStream.CompleteAsync();
    }

    [Fact]
    public async Task AClientThatCallsTooOftenIsToldWhenToTryAgain()
    {
        await using TestServer server = await TestServer.StartAsync("--PileServer:CallsPerSecondMax=5");
        RpcException? refused = null;
        for (int call = 0; call < 200 && refused is null; call++)
        {
            try
            {
                _ = await server.Entries.GetAsync(_get);
            }
            catch (RpcException failure)
            {
                refused = failure;
            }
        }

        Assert.Equal(StatusCode.ResourceExhausted, refused!.StatusCode);
        Assert.Equal("100", refused.Trailers.GetValue(CallFailure.RetryTrailer));
        Assert.Contains("CallsPerSecondMax", refused.Status.Detail, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheEndOfTheServerIsToldToThoseWhoWatchItsHealth()
    {
        await using TestServer server = await TestServer.StartAsync();
        using AsyncServerStreamingCall<HealthCheckResponse> watch = new Health.HealthClient(server.Channel).Watch(new HealthCheckRequest());
        Assert.True(await watch.ResponseStream.MoveNext(TestContext.Current.CancellationToken));
        Assert.Equal(HealthCheckResponse.Types.ServingStatus.Serving, watch.ResponseStream.Current.Status);
        Task stop = server.StopAsync();
        Assert.True(await watch.ResponseStream.MoveNext(TestContext.Current.CancellationToken));
        Assert.Equal(HealthCheckResponse.Types.ServingStatus.NotServing, watch.ResponseStream.Current.Status);
        RpcException end = await Assert.ThrowsAsync<RpcException>(async () => await watch.ResponseStream.MoveNext(TestContext.Current.CancellationToken));
        Assert.Equal(StatusCode.Unavailable, end.StatusCode);
        await stop;
    }

    private static Metadata Token(string token) => new() { { "authorization", "Bearer " + token } };

    private static string[] Client(string name, string token, string access) =>
        [$"--PileClients:{name}:TokenSha256={Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(token)))}", $"--PileClients:{name}:Access={access}"];
}
