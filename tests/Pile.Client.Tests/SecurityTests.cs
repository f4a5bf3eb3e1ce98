using System;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Server.Tests;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>TLS, certificates on both sides, tokens, and Unix sockets.</summary>
public sealed class SecurityTests : IDisposable
{
    private readonly TestCertificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Fact]
    public async Task TheServerIsKnownByItsAuthorityAndTheClientByItsCertificate()
    {
        using X509Certificate2 atServer = _certificates.Sign("server", isServer: true);
        using X509Certificate2 atClient = _certificates.Sign("client", isServer: false);
        (string pem, string key) = _certificates.Pem(atServer, "server");
        (string clientPem, string clientKey) = _certificates.Pem(atClient, "client");
        await using ServerProcess server = await ServerProcess.StartAsync("--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key, "--client-authority", _certificates.AuthorityFile);
        PileClientTlsOptions[] good =
        [
            new() { AuthorityFile = _certificates.AuthorityFile, CertificateFile = clientPem, KeyFile = clientKey },
            new() { AuthorityFile = _certificates.AuthorityFile, CertificateFile = _certificates.Pfx(atClient, "client", "secret"), CertificatePassword = "secret" },
            new() { AuthorityFile = _certificates.AuthorityFile, Certificate = atClient },
            new() { AuthorityFile = _certificates.AuthorityFile, Certificate = atClient, ServerName = "localhost" },
        ];
        foreach (PileClientTlsOptions tls in good)
        {
            await using PileClient client = Client(server.Address, tls);
            _ = await client.Table().SetAsync("a", new byte[1]);
            Assert.NotNull(await client.Table().GetAsync("a"));
        }

        await using (PileClient client = Client(server.Address, good[0]))
        {
            // More than the windows of HTTP/2 and the records of TLS.
            byte[] large = new byte[60_000];
            new Random(46).NextBytes(large);
            await Within.AMinuteAsync(Task.WhenAll(Enumerable.Range(0, 100).Select(number => client.Table().SetAsync($"{number}", large).AsTask())), "all stores by TLS");
            byte[]?[] read = await Within.AMinuteAsync(Task.WhenAll(Enumerable.Range(0, 100).Select(number => client.Table().GetAsync($"{number}").AsTask())), "all reads by TLS");
            Assert.All(read, value => Assert.Equal(large, value));
        }

        (string What, PileClientTlsOptions Tls)[] bad =
        [
            ("no authority", new() { CertificateFile = clientPem, KeyFile = clientKey }),
            ("no certificate", new() { AuthorityFile = _certificates.AuthorityFile }),
            ("another name", new() { AuthorityFile = _certificates.AuthorityFile, Certificate = atClient, ServerName = "another.example" }),
        ];
        foreach ((string what, PileClientTlsOptions tls) in bad)
        {
            await using PileClient client = Client(server.Address, tls);
            Exception? failure = await Record.ExceptionAsync(async () => await client.Table().GetAsync("a"));
            Assert.True(failure is PileClientException { Code: StatusCode.Unavailable or StatusCode.Internal }, $"{what}: {failure}");
        }
    }

    [Fact]
    public async Task TokensSayWhatAClientMayDo()
    {
        await using ServerProcess server = await ServerProcess.StartAsync(
            $"--PileClients:writer:TokenSha256={HashOf("writes")}", "--PileClients:writer:Access=Read,Write", $"--PileClients:reader:TokenSha256={HashOf("reads")}", "--PileClients:reader:Access=Read");
        await using PileClient nobody = Client(server.Address);
        await using PileClient writer = Client(server.Address, token: "writes");
        int asked = 0;
        await using var reader = new PileClient(new PileClientOptions
        {
            Address = server.Address,
            TokenProvider = _ =>
            {
                asked++;
                return new ValueTask<string>("reads");
            },
        });

        _ = await writer.Table().SetAsync("a", new byte[1]);
        Assert.NotNull(await reader.Table().GetAsync("a"));
        PileClientException refused = await Assert.ThrowsAsync<PileClientException>(async () => await reader.Table().AddAsync("a", new byte[1]));
        Assert.Equal(StatusCode.PermissionDenied, refused.Code);
        refused = await Assert.ThrowsAsync<PileClientException>(async () => await nobody.Table().GetAsync("a"));
        Assert.Equal(StatusCode.Unauthenticated, refused.Code);
        Assert.True(asked > 0);
        Assert.True(await nobody.PingAsync() > TimeSpan.Zero);
    }

    [Fact]
    public async Task AUnixSocketIsAnAddress()
    {
        using var directory = new TemporaryDirectory();
        _ = System.IO.Directory.CreateDirectory(directory.Path);
        string path = System.IO.Path.Combine(directory.Path, "s");
        await using ServerProcess server = await ServerProcess.StartAsync($"--listen=unix:{path}");
        await using PileClient client = Client($"unix:{path}");

        _ = await client.Table().SetAsync("a", Encoding.UTF8.GetBytes("one"));
        Assert.Equal(Encoding.UTF8.GetBytes("one"), await client.Table().GetAsync("a"));
    }

    [Fact]
    public async Task CareOfTheServerIsTakenByWhoMay()
    {
        await using ServerProcess server = await ServerProcess.StartAsync($"--PileClients:operator:TokenSha256={HashOf("cares")}", "--PileClients:operator:Access=Read,Write,Admin");
        await using PileClient client = Client(server.Address, token: "cares");
        _ = await client.Table().SetAsync("a", new byte[100]);
        PileServerVerification verified = await client.VerifyAsync();
        Assert.True(verified is { IsGood: true, Records: > 0 } && verified.Findings.Count == 0);
        PileServerCompaction compacted = await client.CompactAsync();
        Assert.InRange(compacted.UsedBytesBefore, 1, 64 << 20);
        await client.CheckpointAsync();
        PileClientException wrong = await Assert.ThrowsAsync<PileClientException>(() => client.CompactAsync(0.5));
        Assert.Equal(StatusCode.InvalidArgument, wrong.Code);
        _ = await Assert.ThrowsAsync<PileClientException>(() => client.CopyAsync("../out"));
        await using PileClient nobody = Client(server.Address);
        wrong = await Assert.ThrowsAsync<PileClientException>(() => nobody.VerifyAsync());
        Assert.Equal(StatusCode.Unauthenticated, wrong.Code);
    }

    private static string HashOf(string token) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(token)));

    private static PileClient Client(string address, PileClientTlsOptions? tls = null, string? token = null) =>
        new(new PileClientOptions { Address = address, Tls = tls ?? new PileClientTlsOptions(), Token = token, Deadline = TimeSpan.FromMinutes(1) });
}
