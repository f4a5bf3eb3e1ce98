using System;
using System.Linq;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Server.Tests.Security;

/// <summary>Keys that an authority tells.</summary>
public sealed class JwtAuthorityTests
{
    private static readonly V1.GetRequest _get = new() { Key = Batches.Bytes("a") };

    [Fact]
    public async Task KeysAndIssuerAreThoseOfTheAuthorityOnceItAnswers()
    {
        using var tokens = new TestTokens();
        var time = new MovedTime();
        var log = new RecordedLog();
        bool answers = false;
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        _ = builder.Logging.ClearProviders();
        await using WebApplication authority = builder.Build();
        authority.Urls.Add("http://127.0.0.1:0");
        _ = authority.MapGet("/realm/.well-known/openid-configuration", (HttpRequest request) => answers
            ? Results.Text($$"""{ "issuer": "{{TestTokens.Issuer}}", "jwks_uri": "http://{{request.Host}}/keys" }""", "application/json")
            : Results.StatusCode(503));
        _ = authority.MapGet("/keys", () => Results.Text(tokens.Set("one"), "application/json"));
        await authority.StartAsync(TestContext.Current.CancellationToken);
        await using TestServer server = await TestServer.StartAsync(log, services => services.Services.AddSingleton<TimeProvider>(time),
            $"--PileJwt:Authority={authority.Urls.First()}/realm/", $"--PileJwt:Audience={TestTokens.Audience}");
        Metadata Bearer(string issuer)
        {
            System.Collections.Generic.Dictionary<string, object> claims = TestTokens.Claims(time.GetUtcNow());
            claims["iss"] = issuer;
            return new() { { "authorization", "Bearer " + tokens.Sign(claims, new() { ["alg"] = "RS256", ["kid"] = "one" }) } };
        }

        V1.ErrorDetail unreachable = await Failure.OfAsync(StatusCode.Unavailable, async () => await server.Entries.GetAsync(_get, Bearer(TestTokens.Issuer)));
        Assert.Equal((ulong)ServerLimits.RetryAfterMs, unreachable.RetryAfterMs);
        _ = await Failure.OfAsync(StatusCode.Unavailable, async () => await server.Entries.GetAsync(_get, Bearer(TestTokens.Issuer)));
        _ = Assert.Single(log.Lines, static line => line.Id.Id == 313);

        answers = true;
        time.Move(ServerLimits.FilesLook);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(TestTokens.Issuer))).Found);
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, Bearer("https://other.test/")));
    }

    [Theory]
    [InlineData("http://keys.example/keys")]
    [InlineData("file:///etc/keys")]
    [InlineData("moved")]
    public async Task AnAuthorityOfTheLoopbackAddressNamesKeysNowhereElseInTheClear(string keys)
    {
        var log = new RecordedLog();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        _ = builder.Logging.ClearProviders();
        await using WebApplication authority = builder.Build();
        authority.Urls.Add("http://127.0.0.1:0");
        _ = authority.MapGet("/.well-known/openid-configuration", (HttpRequest request) =>
            Results.Text($$"""{ "issuer": "{{TestTokens.Issuer}}", "jwks_uri": "{{(keys == "moved" ? $"http://{request.Host}/moved" : keys)}}" }""", "application/json"));
        _ = authority.MapGet("/moved", () => Results.Redirect("/keys"));
        bool wasAsked = false;
        _ = authority.MapGet("/keys", () => wasAsked = true);
        await authority.StartAsync(TestContext.Current.CancellationToken);
        await using TestServer server = await TestServer.StartAsync(log, static _ => { }, $"--PileJwt:Authority={authority.Urls.First()}", $"--PileJwt:Audience={TestTokens.Audience}");

        _ = await Failure.OfAsync(StatusCode.Unavailable, async () => await server.Entries.GetAsync(_get, new Metadata { { "authorization", "Bearer e30.e30.AAAA" } }));
        Assert.False(wasAsked);
        Assert.True(keys == "moved" || $"{log.Lines.Single(static line => line.Id.Id == 313).Exception}".Contains(keys, System.StringComparison.Ordinal));
    }
}
