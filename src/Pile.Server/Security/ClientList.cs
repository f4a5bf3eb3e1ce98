// Finds out who makes a call: by the token of its header, else by the certificate of its connection. Hashes are compared in constant time
// and all of them, so that the time says nothing about how near a guess was; tokens themselves are not kept.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace Pile.Server.Security;

/// <summary>The clients that the server knows. Thread-safe.</summary>
internal sealed class ClientList
{
    private const string Scheme = "Bearer ";
    private const int TokenCharsMax = 4096;

    private readonly (byte[] Hash, CallClient Client)[] _tokens;
    private readonly (byte[] Hash, CallClient Client)[] _certificates;

    internal ClientList(PileServerOptions options)
    {
        _tokens = [.. Hashes(options, static client => client.TokenSha256)];
        _certificates = [.. Hashes(options, static client => client.CertificateSha256)];
        Anonymous = new CallClient("", options.AnonymousAccess ?? (options.Clients.Count == 0 ? PileServerAccess.Read | PileServerAccess.Write : PileServerAccess.None));
    }

    /// <summary>All who are none of the clients.</summary>
    internal CallClient Anonymous { get; }

    /// <summary>Who makes a call; null when it shows a token that is nobody's.</summary>
    internal CallClient? Find(HttpContext context)
    {
        StringValues header = context.Request.Headers.Authorization;
        if (header.Count > 0)
        {
            return header.Count == 1 && header[0] is { } text && text.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) ? OfToken(text.AsSpan(Scheme.Length)) : null;
        }

        return _certificates.Length > 0 && context.Connection.ClientCertificate is { } certificate ? OfCertificate(certificate) : Anonymous;
    }

    private CallClient? OfToken(ReadOnlySpan<char> token)
    {
        if (token.Length > TokenCharsMax)
        {
            return null;
        }

        Span<byte> utf8 = stackalloc byte[Encoding.UTF8.GetMaxByteCount(TokenCharsMax)];
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        _ = SHA256.HashData(utf8[..Encoding.UTF8.GetBytes(token, utf8)], hash);
        return Match(_tokens, hash);
    }

    private CallClient OfCertificate(X509Certificate2 certificate)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        _ = SHA256.HashData(certificate.RawDataMemory.Span, hash);
        return Match(_certificates, hash) ?? Anonymous;
    }

    private static CallClient? Match((byte[] Hash, CallClient Client)[] known, ReadOnlySpan<byte> hash)
    {
        CallClient? found = null;
        foreach ((byte[] candidate, CallClient client) in known)
        {
            if (CryptographicOperations.FixedTimeEquals(candidate, hash))
            {
                found = client;
            }
        }

        return found;
    }

    private static IEnumerable<(byte[] Hash, CallClient Client)> Hashes(PileServerOptions options, Func<PileServerClient, string?> hashOf) =>
        from pair in options.Clients
        where hashOf(pair.Value) is not null
        select (Convert.FromHexString(hashOf(pair.Value)!), new CallClient(pair.Key, pair.Value.Access));
}
