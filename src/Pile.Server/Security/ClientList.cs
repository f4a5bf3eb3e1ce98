// Finds out who makes a call: by the token of its header, else by the certificate of its connection. Hashes are compared in constant time
// and all of them, so that the time says nothing about how near a guess was; tokens themselves are not kept. What is none of these tokens may
// be a JSON Web Token, which JwtClients checks.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;

namespace Pile.Server.Security;

/// <summary>The clients that the server knows. Thread-safe.</summary>
internal sealed class ClientList
{
    private const string Scheme = "Bearer ";
    private const int StackBytesMax = 512;

    private static readonly CallClient _nobody = CallClient.Unknown("The token is no client's. Send 'authorization: Bearer ' and a token that the server knows.");

    private readonly (byte[] Hash, CallClient Client)[] _tokens;
    private readonly (byte[] Hash, CallClient Client)[] _certificates;
    private readonly JwtClients? _jwt;

    internal ClientList(PileServerOptions options, ILogger logger, TimeProvider time)
    {
        _tokens = [.. Hashes(options, static client => client.TokenSha256)];
        _certificates = [.. Hashes(options, static client => client.CertificateSha256)];
        Anonymous = new CallClient("", options.AnonymousAccess ?? (options.Clients.Count == 0 && !options.Jwt.IsUsed ? PileServerAccess.Read | PileServerAccess.Write : PileServerAccess.None));
        _jwt = options.Jwt.IsUsed ? new JwtClients(options.Jwt, logger, time) : null;
    }

    /// <summary>All who are none of the clients.</summary>
    internal CallClient Anonymous { get; }

    /// <summary>Who makes a call. A token counts before a certificate, and a wrong one is not made good by it.</summary>
    /// <exception cref="Grpc.Core.RpcException">It can't be found out now.</exception>
    internal ValueTask<CallClient> FindAsync(HttpContext context)
    {
        StringValues header = context.Request.Headers.Authorization;
        if (header.Count > 0)
        {
            return header.Count == 1 && header[0] is { } text && text.StartsWith(Scheme, StringComparison.OrdinalIgnoreCase) ? OfToken(text, context) : ValueTask.FromResult(_nobody);
        }

        return ValueTask.FromResult(_certificates.Length > 0 && context.Connection.ClientCertificate is { } certificate ? OfCertificate(certificate) : Anonymous);
    }

    private ValueTask<CallClient> OfToken(string header, HttpContext context)
    {
        ReadOnlySpan<char> token = header.AsSpan(Scheme.Length);
        if (token.Length > ServerLimits.HeaderBytesMax)
        {
            return ValueTask.FromResult(_nobody);
        }

        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        Hash(token, hash);
        CallClient? known = Match(_tokens, hash);
        return known is not null ? ValueTask.FromResult(known)
            : _jwt is not null && JwtClients.IsShapedSo(token) ? _jwt.FindAsync(token.ToString(), TokenHash.Of(hash), context.Connection.RemoteIpAddress)
            : ValueTask.FromResult(_nobody);
    }

    private static void Hash(ReadOnlySpan<char> token, Span<byte> hash)
    {
        int bytesMax = Encoding.UTF8.GetMaxByteCount(token.Length);
        byte[]? rented = bytesMax > StackBytesMax ? ArrayPool<byte>.Shared.Rent(bytesMax) : null;
        Span<byte> utf8 = rented ?? stackalloc byte[StackBytesMax];
        _ = SHA256.HashData(utf8[..Encoding.UTF8.GetBytes(token, utf8)], hash);
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented, clearArray: true);
        }
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
