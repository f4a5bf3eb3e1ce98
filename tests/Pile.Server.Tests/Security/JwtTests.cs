using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Server.Tests.Security;

/// <summary>JSON Web Tokens: what is taken, and what looks like one.</summary>
public sealed class JwtTests : IDisposable
{
    private static readonly V1.SetRequest _set = new() { Key = Batches.Bytes("a"), Value = Batches.Bytes("b") };
    private static readonly V1.GetRequest _get = new() { Key = Batches.Bytes("a") };

    private readonly TestTokens _tokens = new();
    private readonly TestCertificates _files = new();
    private readonly MovedTime _time = new();
    private readonly RecordedLog _log = new();

    public void Dispose()
    {
        _tokens.Dispose();
        _files.Dispose();
    }

    [Theory]
    [InlineData("pem")]
    [InlineData("certificate")]
    [InlineData("set")]
    public async Task AGoodTokenMayWhatItsClaimSays(string form)
    {
        using X509Certificate2 certificate = new CertificateRequest("CN=issuer", _tokens.Key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1).CreateSelfSigned(_time.GetUtcNow().AddDays(-1), _time.GetUtcNow().AddDays(1));
        string text = form switch { "pem" => _tokens.Pem, "certificate" => certificate.ExportCertificatePem(), _ => _tokens.Set("one") };
        await using TestServer server = await StartAsync(text);
        Dictionary<string, object>? head = form == "set" ? new() { ["alg"] = "RS256", ["kid"] = "one" } : null;
        string writer = _tokens.Sign(TestTokens.Claims(_time.GetUtcNow()), head);
        string reader = _tokens.Sign(TestTokens.Claims(_time.GetUtcNow(), "pile.read admin write"), head);

        _ = await server.Entries.SetAsync(_set, Bearer(writer));
        _ = await server.Entries.SetAsync(_set, Bearer(writer));
        Assert.True((await server.Entries.GetAsync(_get, Bearer(reader))).Found);
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.PermissionDenied, async () => await server.Entries.SetAsync(_set, Bearer(reader)));
        Assert.Equal("pile.v1.Entries/Set needs the access Write; the client 'jwt:worker' has Read.", refused.Text);
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get));
        Assert.All(new[] { writer, reader }, AssertNotLogged);
    }

    [Fact]
    public async Task WhoSendsOneBadTokenAfterAnotherHasNoMoreOfThemCheckedAndGoodOnesThatAreKnownGoOn()
    {
        await using TestServer server = await StartAsync(_tokens.Pem);
        string good = _tokens.Sign(TestTokens.Claims(_time.GetUtcNow()));
        Assert.False((await server.Entries.GetAsync(_get, Bearer(good))).Found);
        for (int token = 0; token < ServerLimits.TokensRefusedPerSecondMax; token++)
        {
            _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, Bearer($"e30.e30.{token:D4}")));
        }

        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.GetAsync(_get, Bearer("e30.e30.AAAA")));
        Assert.Equal((ulong)ServerLimits.RetryAfterMs, refused.RetryAfterMs);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(good))).Found);
        _time.Move(TimeSpan.FromSeconds(1));
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, Bearer("e30.e30.AAAA")));
    }

    /// <summary>What a message shows of a name is cut and cleaned: it is not what a rate goes by.</summary>
    [Fact]
    public async Task ClientsWhoseNamesAreShownAlikeHaveRatesOfTheirOwn()
    {
        await using TestServer server = await StartAsync(_tokens.Pem, "--PileServer:CallsPerSecondMax=1");
        string alike = new('n', 200);
        foreach (string name in (string[])[alike + "1", alike + "2", "a?", "a\n"])
        {
            Dictionary<string, object> claims = TestTokens.Claims(_time.GetUtcNow());
            claims["sub"] = name;
            string token = _tokens.Sign(claims);
            Assert.False((await server.Entries.GetAsync(_get, Bearer(token))).Found);
            _ = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.GetAsync(_get, Bearer(token)));

            // Another token of the same client is the same client.
            claims["jti"] = "another";
            _ = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await server.Entries.GetAsync(_get, Bearer(_tokens.Sign(claims))));
        }
    }

    public static TheoryData<string, string> Bad => new()
    {
        { "another key", "signed by none of the keys" },
        { "changed claims", "signed by none of the keys" },
        { "audience", "another audience" },
        { "issuer", "another issuer" },
        { "expired", "has expired" },
        { "not yet", "not valid yet" },
        { "no end", "has no end" },
        { "none", "signed by none of the keys" },
        { "None", "signed by none of the keys" },
        { "HS256 with the PEM", "signed by none of the keys" },
        { "HS256 with the key", "signed by none of the keys" },
        { "no name", "no claim 'sub'" },
        { "no audience", "another audience" },
        { "no issuer", "another issuer" },
        { "crit", "an extension ('crit')" },
        { "no parts", "no JSON Web Token that the server takes" },
        { "no json", "signed by none of the keys" },
        { "long", "is no client's" },
    };

    [Theory]
    [MemberData(nameof(Bad))]
    public async Task WhatLooksLikeATokenIsRefusedAndChangesNothing(string what, string text)
    {
        await using TestServer server = await StartAsync(_tokens.Pem);
        string token = Make(what);

        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.SetAsync(_set, Bearer(token)));

        Assert.Contains(text, refused.Text, StringComparison.Ordinal);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(_tokens.Sign(TestTokens.Claims(_time.GetUtcNow()))))).Found);
        AssertNotLogged(token);
    }

    [Fact]
    public async Task WithoutTheClaimOfAccessATokenMayNothing()
    {
        await using TestServer server = await StartAsync(_tokens.Pem);
        Dictionary<string, object> claims = TestTokens.Claims(_time.GetUtcNow());
        _ = claims.Remove("scope");
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.PermissionDenied, async () => await server.Entries.GetAsync(_get, Bearer(_tokens.Sign(claims))));
        Assert.EndsWith("the client 'jwt:worker' has None.", refused.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task OtherClaimsCanSayWhoAndWhat()
    {
        await using TestServer server = await StartAsync(_tokens.Pem, "--PileJwt:NameClaim=client_id", "--PileJwt:AccessClaim=roles", "--PileJwt:AccessPrefix=");
        Dictionary<string, object> claims = TestTokens.Claims(_time.GetUtcNow());
        claims["client_id"] = "batch\njob";
        claims["roles"] = new[] { "READ", "other" };
        string token = _tokens.Sign(claims);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(token))).Found);
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.PermissionDenied, async () => await server.Entries.SetAsync(_set, Bearer(token)));
        Assert.Contains("'jwt:batch?job' has Read", refused.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ATokenThatWasGoodEndsAtItsEndAndItsSkew()
    {
        await using TestServer server = await StartAsync(_tokens.Pem);
        Dictionary<string, object> claims = TestTokens.Claims(_time.GetUtcNow());
        claims["exp"] = _time.GetUtcNow().AddSeconds(20).ToUnixTimeSeconds();
        string token = _tokens.Sign(claims);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(token))).Found);
        _time.Move(TimeSpan.FromSeconds(45));
        Assert.False((await server.Entries.GetAsync(_get, Bearer(token))).Found);
        _time.Move(TimeSpan.FromSeconds(6));
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, Bearer(token)));
        Assert.Contains("has expired", refused.Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(253_402_300_799)]
    [InlineData(long.MaxValue)]
    public async Task ATokenMayEndLaterThanThereAreDates(long end)
    {
        await using TestServer server = await StartAsync(_tokens.Pem);
        Dictionary<string, object> claims = TestTokens.Claims(_time.GetUtcNow());
        claims["exp"] = end;
        string token = _tokens.Sign(claims);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(token))).Found);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(token))).Found);
    }

    [Theory]
    [InlineData("pem")]
    [InlineData("certificate")]
    public async Task AKeyOfPemHasNoNameAndIsTriedWhateverTheTokenSays(string form)
    {
        using X509Certificate2 certificate = new CertificateRequest("CN=issuer", _tokens.Key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1).CreateSelfSigned(_time.GetUtcNow().AddDays(-1), _time.GetUtcNow().AddDays(1));
        await using TestServer server = await StartAsync(form == "pem" ? _tokens.Pem : certificate.ExportCertificatePem());
        string token = _tokens.Sign(TestTokens.Claims(_time.GetUtcNow()), new() { ["alg"] = "RS256", ["kid"] = "2026-11" });
        Assert.False((await server.Entries.GetAsync(_get, Bearer(token))).Found);
    }

    [Fact]
    public async Task KeysAreReadAgainWhenTheirFileChanges()
    {
        using var next = new TestTokens();
        string path = Write(_tokens.Pem);
        await using TestServer server = await StartAsync(_tokens.Pem);
        string before = _tokens.Sign(TestTokens.Claims(_time.GetUtcNow()));
        string after = next.Sign(TestTokens.Claims(_time.GetUtcNow()));
        Assert.False((await server.Entries.GetAsync(_get, Bearer(before))).Found);
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, Bearer(after)));

        File.WriteAllText(path, next.Set("a-longer-name-for-the-next-key"));
        _time.Move(ServerLimits.TokenBelieved);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(after))).Found);
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(_get, Bearer(before)));

        File.WriteAllText(path, "nothing");
        _time.Move(ServerLimits.TokenBelieved);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(after))).Found);
        Assert.Equal([311, 311, 312], _log.Lines.Where(static line => line.Id.Id is 311 or 312).Select(static line => line.Id.Id));
    }

    [Fact]
    public async Task ACertificateMakesAWrongTokenNoBetterAndAGoodTokenCountsBeforeIt()
    {
        using X509Certificate2 certificate = _files.Sign("server", isServer: true);
        using X509Certificate2 admin = _files.Sign("admin", isServer: false);
        (string pem, string key) = _files.Pem(certificate, "server");
        await using TestServer server = await StartAsync(_tokens.Pem, "--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key, "--client-authority", _files.AuthorityFile,
            $"--PileClients:admin:CertificateSha256={admin.GetCertHashString(HashAlgorithmName.SHA256)}", "--PileClients:admin:Access=Read,Write,Admin");
        V1.Entries.EntriesClient entries = new(server.Open(_files.Client(admin)));
        string reader = _tokens.Sign(TestTokens.Claims(_time.GetUtcNow(), "pile.read"));

        _ = await entries.SetAsync(_set);
        Assert.True((await entries.GetAsync(_get, Bearer(reader))).Found);
        V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.PermissionDenied, async () => await entries.SetAsync(_set, Bearer(reader)));
        Assert.EndsWith("the client 'jwt:worker' has Read.", refused.Text, StringComparison.Ordinal);
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await entries.SetAsync(_set, Bearer(Make("another key"))));
        RpcException alone = await Assert.ThrowsAsync<RpcException>(async () => await new V1.Entries.EntriesClient(server.Open(_files.Client())).GetAsync(_get, Bearer(reader)));
        Assert.True(alone.StatusCode is StatusCode.Unavailable or StatusCode.Internal, alone.ToString());
    }

    [Fact]
    public async Task TokensOfTheConfigurationCountBesideThem()
    {
        await using TestServer server = await StartAsync(_tokens.Pem, $"--PileClients:old:TokenSha256={Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes("a.static.token")))}", "--PileClients:old:Access=Read");
        Assert.False((await server.Entries.GetAsync(_get, Bearer("a.static.token"))).Found);
        Assert.False((await server.Entries.GetAsync(_get, Bearer(_tokens.Sign(TestTokens.Claims(_time.GetUtcNow()))))).Found);
    }

    [Theory]
    [InlineData("secret", "'oct'")]
    [InlineData("private", "a private key")]
    [InlineData("private pem", "a private key")]
    [InlineData("short", "an RSA key of 1024 bits: it must have 2048 at least")]
    [InlineData("curve", "neither an RSA nor an elliptic curve's public key")]
    [InlineData("certificate", "a certificate whose key is neither RSA's nor of an elliptic curve that this system knows")]
    [InlineData("nothing", "holds no key")]
    [InlineData("{", "is no JSON Web Key Set")]
    [InlineData("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "neither an RSA nor an elliptic curve's public key")]
    [InlineData("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "holds a CERTIFICATE that is none")]
    public async Task AFileWithOtherKeysEndsTheStartAndIsNamed(string what, string text)
    {
        using RSA small = RSA.Create(1024);
        string file = what switch
        {
            "secret" => """{ "keys": [ { "kty": "oct", "k": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" } ] }""",
            "private" => _tokens.Set("one").Replace("\"e\"", "\"d\": \"AQAB\", \"e\"", StringComparison.Ordinal),
            "private pem" => _tokens.Key.ExportPkcs8PrivateKeyPem(),
            "short" => small.ExportSubjectPublicKeyInfoPem(),
            "curve" => UnknownCurve(),
            "certificate" => UnknownCertificate(_tokens.Key),
            _ => what,
        };
        CryptographicException refused = await Assert.ThrowsAsync<CryptographicException>(async () =>
        {
            await using TestServer server = await StartAsync(file);
        });
        Assert.Contains(text, refused.Message, StringComparison.Ordinal);
        Assert.StartsWith("'/", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>A key of a curve that no system knows: the last number of secp256r1's name is another one.</summary>
    private static string UnknownCurve()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return PemEncoding.WriteString("PUBLIC KEY", Replaced(key.ExportSubjectPublicKeyInfo(), [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07], 0x70));
    }

    /// <summary>A certificate whose key is of an algorithm that nobody knows.</summary>
    private static string UnknownCertificate(RSA key)
    {
        var request = new CertificateRequest("CN=issuer", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(100));
        return PemEncoding.WriteString("CERTIFICATE", Replaced(certificate.RawData, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], 0x70));
    }

    private static byte[] Replaced(byte[] bytes, ReadOnlySpan<byte> name, byte last)
    {
        bytes[bytes.AsSpan().IndexOf(name) + name.Length - 1] = last;
        return bytes;
    }

    private string Make(string what)
    {
        DateTimeOffset now = _time.GetUtcNow();
        Dictionary<string, object> claims = TestTokens.Claims(now);
        Dictionary<string, object>? head = null;
        switch (what)
        {
            case "another key":
                using (var other = new TestTokens())
                {
                    return other.Sign(claims);
                }

            case "changed claims":
                string[] parts = _tokens.Sign(claims).Split('.');
                claims["scope"] = "pile.admin pile.write";
                return string.Join('.', parts[0], TestTokens.Unsigned(claims, "RS256").Split('.')[1], parts[2]);
            case "audience":
                claims["aud"] = "others";
                break;
            case "issuer":
                claims["iss"] = "https://other.test/";
                break;
            case "expired":
                claims["exp"] = now.AddMinutes(-2).ToUnixTimeSeconds();
                claims["nbf"] = now.AddMinutes(-5).ToUnixTimeSeconds();
                break;
            case "not yet":
                claims["nbf"] = now.AddMinutes(2).ToUnixTimeSeconds();
                break;
            case "no end":
                _ = claims.Remove("exp");
                break;
            case "no name":
                _ = claims.Remove("sub");
                break;
            case "no audience":
                _ = claims.Remove("aud");
                break;
            case "no issuer":
                _ = claims.Remove("iss");
                break;
            case "none" or "None":
                return TestTokens.Unsigned(claims, what);
            case "HS256 with the PEM":
                return TestTokens.Hashed(claims, Encoding.ASCII.GetBytes(_tokens.Pem));
            case "HS256 with the key":
                return TestTokens.Hashed(claims, _tokens.Key.ExportSubjectPublicKeyInfo());
            case "crit":
                head = new() { ["alg"] = "RS256", ["crit"] = new[] { "x" }, ["x"] = 1 };
                break;
            case "no parts":
                return "a.b.c";
            case "no json":
                return "e30.e30.AAAA";
            default:
                return new string('x', 12_000);
        }

        return _tokens.Sign(claims, head);
    }

    private Task<TestServer> StartAsync(string keys, params string[] args) => TestServer.StartAsync(_log, builder =>
    {
        _ = builder.Logging.SetMinimumLevel(LogLevel.Trace);
        _ = builder.Services.AddSingleton<TimeProvider>(_time);
    }, [$"--PileJwt:KeyFile={Write(keys)}", $"--PileJwt:Issuer={TestTokens.Issuer}", $"--PileJwt:Audience={TestTokens.Audience}", .. args]);

    private string Write(string text)
    {
        string path = Path.Combine(_files.Folder, "keys");
        File.WriteAllText(path, text);
        return path;
    }

    private void AssertNotLogged(string token)
    {
        string[] parts = [.. token.Split('.').Where(static part => part.Length > 8)];
        Assert.DoesNotContain(_log.Lines, line => parts.Any(part => $"{line.Message} {line.Exception}".Contains(part, StringComparison.Ordinal)));
    }

    private static Metadata Bearer(string token) => new() { { "authorization", "Bearer " + token } };
}
