// The server's certificate, read from its files and read again when they change: new connections get the new one, no call ends for it. Files
// that can't be read when they have changed leave the one before in use, and the log says so. Clients' certificates are checked against
// the authority that is told, and against nothing of the machine's own. Why one is refused stands in the log: the client sees its connection end.
using System;
using System.IO;
using System.Linq;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;
using Pile.Server.Calls;

namespace Pile.Server.Security;

/// <summary>The certificates of the program. Thread-safe.</summary>
internal sealed class CertificateSource
{
    private readonly string _path;
    private readonly string? _keyPath;
    private readonly string? _password;
    private readonly string? _authorityPath;
    private readonly bool _isRequired;
    private readonly ILogger _logger;
    private readonly LogRate _refusedLines;
    private readonly ReadAgain<SslServerAuthenticationOptions> _options;

    /// <summary>Reads the files.</summary>
    /// <exception cref="IOException">A file can't be read.</exception>
    /// <exception cref="CryptographicException">A file holds no certificate, or no key for it.</exception>
    internal CertificateSource(string path, string? keyPath, string? password, string? authorityPath, bool isRequired, ILogger logger, TimeProvider time)
    {
        _path = path;
        _keyPath = keyPath;
        _password = password;
        _authorityPath = authorityPath;
        _isRequired = isRequired;
        _logger = logger;
        _refusedLines = new LogRate(time);
        _options = new ReadAgain<SslServerAuthenticationOptions>([.. new[] { path, keyPath, authorityPath }.OfType<string>()], Load, failure => ServerLog.CertificateUnreadable(logger, path, failure), time);
    }

    /// <summary>What a connection that begins now uses.</summary>
    internal SslServerAuthenticationOptions Current => _options.Current;

    private SslServerAuthenticationOptions Load()
    {
        SslStreamCertificateContext own;
        try
        {
            own = ReadOwn();
        }
        catch (Exception unfit) when (unfit is ArgumentException or NotSupportedException or CryptographicException)
        {
            // The key is another certificate's, as between the two writes of a renewal, or there is none.
            throw new CryptographicException($"'{_path}' holds no certificate with its key{(_keyPath is null ? "" : $" in '{_keyPath}'")}: {unfit.Message}", unfit);
        }

        return OptionsOf(own);
    }

    private SslStreamCertificateContext ReadOwn()
    {
        var chain = new X509Certificate2Collection();
        X509Certificate2 certificate;
        if (Path.GetExtension(_path).ToUpperInvariant() is ".PFX" or ".P12")
        {
            certificate = X509CertificateLoader.LoadPkcs12FromFile(_path, _password);
            chain.AddRange(X509CertificateLoader.LoadPkcs12CollectionFromFile(_path, _password));
        }
        else
        {
            certificate = _password is null ? X509Certificate2.CreateFromPemFile(_path, _keyPath) : X509Certificate2.CreateFromEncryptedPemFile(_path, _password, _keyPath);
            chain.ImportFromPemFile(_path);
        }

        return SslStreamCertificateContext.Create(certificate, chain, offline: true);
    }

    private SslServerAuthenticationOptions OptionsOf(SslStreamCertificateContext own)
    {
        X509Certificate2Collection? authority = null;
        if (_authorityPath is not null)
        {
            authority = [];
            authority.ImportFromPemFile(_authorityPath);
            if (authority.Count == 0)
            {
                throw new CryptographicException($"'{_authorityPath}' holds no certificate.");
            }
        }

        ServerLog.CertificateLoaded(_logger, _path, own.TargetCertificate.NotAfter);
        return new SslServerAuthenticationOptions
        {
            ServerCertificateContext = own,
            ApplicationProtocols = [SslApplicationProtocol.Http2],
            CipherSuitesPolicy = CipherSuites.Preferred,
            ClientCertificateRequired = authority is not null,
            RemoteCertificateValidationCallback = authority is null ? null : (_, client, sent, _) => IsGood(client, sent, authority),
        };
    }

    private bool IsGood(X509Certificate? client, X509Chain? sent, X509Certificate2Collection authority)
    {
        if (client is null)
        {
            return !_isRequired || Refuse("there is none");
        }

        using var chain = new X509Chain();
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.CustomTrustStore.AddRange(authority);
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        chain.ChainPolicy.DisableCertificateDownloads = true;
        chain.ChainPolicy.ApplicationPolicy.Add(new Oid("1.3.6.1.5.5.7.3.2")); // client authentication
        if (sent is not null)
        {
            chain.ChainPolicy.ExtraStore.AddRange(sent.ChainElements.Select(static element => element.Certificate).ToArray());
        }

        return chain.Build((X509Certificate2)client)
            || Refuse($"'{ShownName.Of(client.Subject)}' is not good: {string.Join(", ", chain.ChainStatus.Select(static status => status.Status).Distinct())}");
    }

    private bool Refuse(string problem)
    {
        if (_refusedLines.MayWrite(out long leftOut))
        {
            ServerLog.CertificateRefused(_logger, problem, leftOut);
        }

        return false;
    }
}
