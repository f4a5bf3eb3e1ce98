using System;
using System.IO;
using System.Net.Http;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Grpc.Net.Client;

namespace Pile.Server.Tests;

/// <summary>An authority of its own, and what it signs.</summary>
internal sealed class TestCertificates : IDisposable
{
    private static readonly DateTimeOffset _now = TimeProvider.System.GetUtcNow();
    private readonly X509Certificate2 _authority = Authority();

    internal string Folder { get; } = Directory.CreateTempSubdirectory("pile-test-").FullName;

    internal string AuthorityFile => Write("authority.pem", _authority.ExportCertificatePem());

    public void Dispose()
    {
        _authority.Dispose();
        Directory.Delete(Folder, recursive: true);
    }

    /// <summary>A certificate with its key.</summary>
    internal X509Certificate2 Sign(string name, bool isServer, TimeSpan? ends = null)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid(isServer ? "1.3.6.1.5.5.7.3.1" : "1.3.6.1.5.5.7.3.2")], critical: false));
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(System.Net.IPAddress.Loopback);
        names.AddDnsName("localhost");
        request.CertificateExtensions.Add(names.Build());
        using X509Certificate2 signed = request.Create(_authority, _now.AddHours(-2), _now + (ends ?? TimeSpan.FromHours(1)), RandomNumberGenerator.GetBytes(8));
        using X509Certificate2 whole = signed.CopyWithPrivateKey(key);
        return X509CertificateLoader.LoadPkcs12(whole.Export(X509ContentType.Pkcs12), null, X509KeyStorageFlags.Exportable);
    }

    /// <summary>Writes a certificate and its key as two files of PEM.</summary>
    internal (string Certificate, string Key) Pem(X509Certificate2 certificate, string name) =>
        (Write(name + ".pem", certificate.ExportCertificatePem()), Write(name + ".key", certificate.GetECDsaPrivateKey()!.ExportPkcs8PrivateKeyPem()));

    internal string Pfx(X509Certificate2 certificate, string name, string password)
    {
        string path = Path.Combine(Folder, name + ".pfx");
        File.WriteAllBytes(path, certificate.Export(X509ContentType.Pkcs12, password));
        return path;
    }

    /// <summary>How a client connects that trusts the authority.</summary>
    internal GrpcChannelOptions Client(X509Certificate2? certificate = null, Action<X509Certificate2>? atServer = null)
    {
        var handler = new SocketsHttpHandler
        {
            SslOptions = new SslClientAuthenticationOptions
            {
                RemoteCertificateValidationCallback = (_, server, _, _) =>
                {
                    using var chain = new X509Chain();
                    chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
                    _ = chain.ChainPolicy.CustomTrustStore.Add(_authority);
                    chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
                    atServer?.Invoke((X509Certificate2)server!);
                    return chain.Build((X509Certificate2)server!);
                },
                ClientCertificates = certificate is null ? null : [certificate],
            },
        };
        return new GrpcChannelOptions { HttpHandler = handler, DisposeHttpClient = true };
    }

    private static X509Certificate2 Authority()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=authority of the tests", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, hasPathLengthConstraint: false, 0, critical: true));
        return request.CreateSelfSigned(_now.AddDays(-1), _now.AddDays(1));
    }

    private string Write(string name, string text)
    {
        string path = Path.Combine(Folder, name);
        File.WriteAllText(path, text);
        return path;
    }
}
