using System;
using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Core.Interceptors;
using Grpc.Net.Client;
using Pile.Server.Security;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>TLS, clients' certificates, and certificates that change.</summary>
public sealed class TlsTests : IDisposable
{
    private static readonly V1.SetRequest _set = new() { Key = Batches.Bytes("a"), Value = Batches.Bytes("b") };

    private readonly TestCertificates _certificates = new();

    public void Dispose() => _certificates.Dispose();

    [Fact]
    public async Task AFileThatHoldsNoCertificateIsNamed()
    {
        using X509Certificate2 certificate = _certificates.Sign("server", isServer: true);
        (string pem, string key) = _certificates.Pem(certificate, "server");
        string none = key + ".none";
        await File.WriteAllTextAsync(none, "no certificate", TestContext.Current.CancellationToken);

        foreach ((string[] arguments, string file) in new[] { (new[] { "--certificate", none }, none), (["--certificate", pem, "--key", none], pem), (["--certificate", pem, "--key", key, "--client-authority", none], none) })
        {
            CryptographicException unfit = await Assert.ThrowsAsync<CryptographicException>(() => TestServer.StartAsync([.. arguments, "--listen=https://127.0.0.1:0"]));
            Assert.Contains($"'{file}' holds no certificate", unfit.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task PemAndPfxServe()
    {
        using X509Certificate2 certificate = _certificates.Sign("server", isServer: true);
        (string pem, string key) = _certificates.Pem(certificate, "server");
        string[][] all = [["--certificate", pem, "--key", key], ["--certificate", _certificates.Pfx(certificate, "server", "secret"), "--PileListen:CertificatePassword", "secret"]];
        foreach (string[] arguments in all)
        {
            await using TestServer server = await TestServer.StartAsync(["--listen=https://127.0.0.1:0", .. arguments]);
            Assert.Equal(V1.Outcome.Inserted, (await new V1.Entries.EntriesClient(server.Open(_certificates.Client())).SetAsync(_set)).Outcome);
            Assert.DoesNotContain(server.Log.Lines, static line => line.Message.Contains("secret", StringComparison.Ordinal));
        }
    }

    [Fact]
    public async Task ACertificateIsToldOnceByAServerWhoseHealthIsInTheClear()
    {
        using X509Certificate2 certificate = _certificates.Sign("server", isServer: true);
        (string pem, string key) = _certificates.Pem(certificate, "server");
        await using TestServer server = await TestServer.StartAsync("--listen=https://127.0.0.1:0", "--health=http://127.0.0.1:0", "--certificate", pem, "--key", key);
        _ = Assert.Single(server.Log.Lines, static line => line.Id.Id == 308);
    }

    [Fact]
    public async Task TheServersOrderOfCiphersHoldsAndWeakOnesAreRefused()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "elsewhere the system decides");
        using X509Certificate2 certificate = _certificates.Sign("server", isServer: true);
        (string pem, string key) = _certificates.Pem(certificate, "server");
        await using TestServer server = await TestServer.StartAsync("--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key);

        // The client's order is another; a client that has not the first gets the next.
        Assert.Equal(TlsCipherSuite.TLS_AES_128_GCM_SHA256, await CipherOfAsync(server.Address, TlsCipherSuite.TLS_AES_256_GCM_SHA384, TlsCipherSuite.TLS_AES_128_GCM_SHA256));
        Assert.Equal(TlsCipherSuite.TLS_AES_256_GCM_SHA384, await CipherOfAsync(server.Address, TlsCipherSuite.TLS_AES_256_GCM_SHA384));
        _ = await Assert.ThrowsAnyAsync<Exception>(() => CipherOfAsync(server.Address, TlsCipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256, TlsCipherSuite.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256));
    }

    [Fact]
    public async Task ClientsNeedACertificateOfTheAuthorityThatHasNotEnded()
    {
        using X509Certificate2 certificate = _certificates.Sign("server", isServer: true);
        using X509Certificate2 good = _certificates.Sign("good", isServer: false);
        using X509Certificate2 reader = _certificates.Sign("reader", isServer: false);
        using X509Certificate2 ended = _certificates.Sign("ended", isServer: false, TimeSpan.FromHours(-1));
        using X509Certificate2 forServers = _certificates.Sign("for servers", isServer: true);
        using var others = new TestCertificates();
        using X509Certificate2 foreign = others.Sign("foreign", isServer: false);
        (string pem, string key) = _certificates.Pem(certificate, "server");
        await using TestServer server = await TestServer.StartAsync(
            "--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key, "--client-authority", _certificates.AuthorityFile,
            $"--PileClients:good:CertificateSha256={good.GetCertHashString(System.Security.Cryptography.HashAlgorithmName.SHA256)}", "--PileClients:good:Access=Read,Write",
            $"--PileClients:reader:CertificateSha256={reader.GetCertHashString(System.Security.Cryptography.HashAlgorithmName.SHA256)}", "--PileClients:reader:Access=Read");
        V1.Entries.EntriesClient With(X509Certificate2? client) => new(server.Open(_certificates.Client(client)));

        _ = await With(good).SetAsync(_set);
        Assert.True((await With(reader).GetAsync(new V1.GetRequest { Key = _set.Key })).Found);
        _ = await Failure.OfAsync(StatusCode.PermissionDenied, async () => await With(reader).RemoveAsync(new V1.RemoveRequest { Key = _set.Key }));
        foreach (X509Certificate2? bad in new[] { null, ended, foreign, forServers })
        {
            RpcException refused = await Assert.ThrowsAsync<RpcException>(async () => await With(bad).RemoveAsync(new V1.RemoveRequest { Key = _set.Key }));
            Assert.True(refused.StatusCode is StatusCode.Unavailable or StatusCode.Internal, refused.ToString());
        }

        Assert.True((await With(good).GetAsync(new V1.GetRequest { Key = _set.Key })).Found);
        string[] said = [.. server.Log.Lines.Where(static line => line.Id.Id == 315).Select(static line => line.Message).Distinct()];
        Assert.All(["there is none", "CN=ended' is not good: NotTimeValid", "CN=foreign", "NotValidForUsage"], why => Assert.Contains(said, line => line.Contains(why, StringComparison.Ordinal)));
    }

    [Fact]
    public void AChangedCertificateIsUsedByNewConnectionsAndABrokenOneByNone()
    {
        using X509Certificate2 first = _certificates.Sign("first", isServer: true);
        using X509Certificate2 second = _certificates.Sign("second", isServer: true);
        var time = new MovedTime();
        string path = _certificates.Pfx(first, "server", "");
        var log = new Hosting.Tests.RecordedLog();
        var source = new CertificateSource(path, null, "", null, isRequired: false, log.CreateLogger("test"), time);
        string Name() => source.Current.ServerCertificateContext!.TargetCertificate.Subject;

        Assert.Equal("CN=first", Name());
        _ = _certificates.Pfx(second, "server", "");
        Assert.Equal("CN=first", Name());
        time.Move(ServerLimits.FilesLook);
        Assert.Equal("CN=second", Name());
        File.WriteAllText(path, "no certificate");
        time.Move(ServerLimits.FilesLook);
        Assert.Equal("CN=second", Name());
        Assert.Equal([308, 308, 309], log.Lines.Select(static line => line.Id.Id));
        _ = _certificates.Pfx(first, "server", "");
        time.Move(ServerLimits.FilesLook);
        Assert.Equal("CN=first", Name());
    }

    [Fact]
    public void FilesThatHoldNoCertificateWithItsKeyLeaveTheOneBeforeInUse()
    {
        using X509Certificate2 first = _certificates.Sign("first", isServer: true);
        using X509Certificate2 second = _certificates.Sign("second", isServer: true);
        using X509Certificate2 keyless = X509CertificateLoader.LoadCertificate(second.RawData);
        string pfx = _certificates.Pfx(first, "server", "");
        (string pem, string key) = _certificates.Pem(first, "server");
        foreach ((string file, string? itsKey, Action breaks) in new (string, string?, Action)[]
        {
            (pfx, null, () => _certificates.Pfx(keyless, "server", "")), (pfx, null, () => File.WriteAllBytes(pfx, [])), (pfx, null, () => _certificates.Pfx(second, "server", "another")),
            (pem, key, () => File.WriteAllText(pem, second.ExportCertificatePem())), (pem, key, () => File.WriteAllText(key, "")), (pem, key, () => File.WriteAllText(pem, "")),
            (pem, key, () => File.WriteAllText(key, second.ExportCertificatePem())), (pem, key, () => File.Delete(key)),
        })
        {
            _ = _certificates.Pfx(first, "server", "");
            _ = _certificates.Pem(first, "server");
            var time = new MovedTime();
            var source = new CertificateSource(file, itsKey, itsKey is null ? "" : null, null, isRequired: false, new Hosting.Tests.RecordedLog().CreateLogger("test"), time);
            breaks();
            time.Move(ServerLimits.FilesLook);
            Assert.Equal("CN=first", source.Current.ServerCertificateContext!.TargetCertificate.Subject);
            Exception? told = Record.Exception(() => new CertificateSource(file, itsKey, itsKey is null ? "" : null, null, isRequired: false, new Hosting.Tests.RecordedLog().CreateLogger("test"), time));
            Assert.True(told is IOException or System.Security.Cryptography.CryptographicException, $"{told}");
        }
    }

    [Fact]
    public async Task CallsGoOnWhileTheCertificateChanges()
    {
        using X509Certificate2 first = _certificates.Sign("first", isServer: true);
        using X509Certificate2 second = _certificates.Sign("second", isServer: true);
        (string pem, string key) = _certificates.Pem(first, "server");
        await using TestServer server = await TestServer.StartAsync("--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key);
        var seen = new ConcurrentQueue<string>();
        V1.Entries.EntriesClient before = new(server.Open(_certificates.Client()).Intercept(new CallDeadlines()));
        _ = await before.SetAsync(_set);
        using var end = new CancellationTokenSource();
        Task[] load = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
        {
            while (!end.IsCancellationRequested)
            {
                Assert.True((await before.GetAsync(new V1.GetRequest { Key = _set.Key })).Found);
            }
        }))];
        _ = _certificates.Pem(second, "server");
        await Soon.HoldsAsync(
            async () =>
            {
                using GrpcChannel fresh = GrpcChannel.ForAddress(server.Address, _certificates.Client(null, certificate => seen.Enqueue(certificate.Subject)));
                Assert.True((await new V1.Entries.EntriesClient(fresh.Intercept(new CallDeadlines())).GetAsync(new V1.GetRequest { Key = _set.Key })).Found);
                return seen.Last() == "CN=second";
            },
            "a new connection meets the new certificate");
        await end.CancelAsync();
        await Task.WhenAll(load).WaitAsync(Soon.Longest);
        Assert.True((await before.GetAsync(new V1.GetRequest { Key = _set.Key })).Found);
    }

    [Fact]
    public async Task FilesThatAreNoCertificateEndTheStart()
    {
        string path = Path.Combine(_certificates.Folder, "none.pem");
        File.WriteAllText(path, "nothing");
        _ = await Assert.ThrowsAnyAsync<System.Security.Cryptography.CryptographicException>(async () =>
        {
            await using TestServer server = await TestServer.StartAsync("--listen=https://127.0.0.1:0", "--certificate", path);
        });
    }

    private static async Task<TlsCipherSuite> CipherOfAsync(string address, params TlsCipherSuite[] offered)
    {
        var uri = new Uri(address);
        using var socket = new TcpClient();
        await socket.ConnectAsync(uri.Host, uri.Port).WaitAsync(Soon.Longest);
#pragma warning disable CA1416, CA5359 // The caller has seen that the system takes an order; whose certificate it is is not what is asked.
        await using var stream = new SslStream(socket.GetStream(), leaveInnerStreamOpen: false, static (_, _, _, _) => true);
        await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            ApplicationProtocols = [SslApplicationProtocol.Http2],
            CipherSuitesPolicy = new CipherSuitesPolicy(offered),
        }).WaitAsync(Soon.Longest);
#pragma warning restore CA1416, CA5359
        return stream.NegotiatedCipherSuite;
    }
}
