// Keys that sign tokens, from a file: a JSON Web Key Set, or PEM. Only public keys that are long enough: a key that could also sign has no
// place on a server that checks, and a secret that both sides share would let every reader of the file be any client.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.IdentityModel.Tokens;

namespace Pile.Server.Security;

/// <summary>Reads key files.</summary>
internal static class JwtKeys
{
    private const int RsaBitsMin = 2048;

    /// <summary>The keys of a file.</summary>
    /// <exception cref="IOException">It can't be read, or is longer than 1 MiB.</exception>
    /// <exception cref="CryptographicException">It holds no key, or one that can't be used.</exception>
    internal static SecurityKey[] Read(string path)
    {
        if (new FileInfo(path).Length is var bytes and > ServerLimits.KeyFileBytesMax)
        {
            throw new IOException($"'{path}' has {bytes:N0} bytes: a file of keys has at most {ServerLimits.KeyFileBytesMax:N0}.");
        }

        string text = File.ReadAllText(path);
        SecurityKey[] keys = text.TrimStart().StartsWith('{') ? OfSet(text, path) : [.. OfPem(text, path)];
        if (keys.Length == 0)
        {
            throw new CryptographicException($"'{path}' holds no key: it must be a JSON Web Key Set, or PEM with PUBLIC KEY or CERTIFICATE.");
        }

        foreach (SecurityKey key in keys)
        {
            Require(IsKnown(key), path, "a certificate whose key is neither RSA's nor of an elliptic curve that this system knows");
            Require(key is not AsymmetricSecurityKey { PrivateKeyStatus: PrivateKeyStatus.Exists }, path, "a private key. Write the public one alone there");
            Require(key is not (RsaSecurityKey or X509SecurityKey { PublicKey: RSA }) || key.KeySize >= RsaBitsMin, path, $"an RSA key of {key.KeySize} bits: it must have {RsaBitsMin} at least");
        }

        return keys;
    }

    private static SecurityKey[] OfSet(string text, string path)
    {
        JsonWebKeySet set;
        try
        {
            set = new JsonWebKeySet(text) { SkipUnresolvedJsonWebKeys = true };
        }
        catch (ArgumentException failure)
        {
            throw new CryptographicException($"'{path}' is no JSON Web Key Set.", failure);
        }

        Require(!set.Keys.Any(static key => key.Kty == JsonWebAlgorithmsKeyTypes.Octet), path, "a key that both sides share ('oct'). Tokens are checked by public keys alone");
        Require(!set.Keys.Any(static key => !string.IsNullOrEmpty(key.D)), path, "a private key. Write the public one alone there");
        return [.. set.GetSigningKeys()];
    }

    private static IEnumerable<SecurityKey> OfPem(string text, string path)
    {
        ReadOnlyMemory<char> rest = text.AsMemory();
        while (PemEncoding.TryFind(rest.Span, out PemFields fields))
        {
            string pem = rest.Span[fields.Location].ToString();
            string label = rest.Span[fields.Label].ToString();
            rest = rest[fields.Location.End..];
            Require(!label.Contains("PRIVATE", StringComparison.Ordinal), path, "a private key. Write the public one alone there");

            yield return label == "CERTIFICATE" ? OfCertificate(pem, path) : OfPublicKey(pem, label, path);
        }
    }

    private static X509SecurityKey OfCertificate(string pem, string path)
    {
        try
        {
            // A name of its own is none that an issuer tells in tokens ('kid'): it is tried with every token, as other keys of PEM are.
            return new X509SecurityKey(X509Certificate2.CreateFromPem(pem)) { KeyId = "" };
        }
        catch (CryptographicException failure)
        {
            throw new CryptographicException($"'{path}' holds a CERTIFICATE that is none: {failure.Message}", failure);
        }
    }

    private static SecurityKey OfPublicKey(string pem, string label, string path)
    {
        try
        {
            var rsa = RSA.Create();
            rsa.ImportFromPem(pem);
            return new RsaSecurityKey(rsa);
        }
        catch (Exception other) when (other is CryptographicException or ArgumentException)
        {
            // Of another kind: the two share one label.
        }

        try
        {
            var ecdsa = ECDsa.Create();
            ecdsa.ImportFromPem(pem);
            return new ECDsaSecurityKey(ecdsa);
        }
        catch (Exception failure) when (failure is CryptographicException or ArgumentException or PlatformNotSupportedException)
        {
            throw new CryptographicException($"'{path}' holds a {label} that is neither an RSA nor an elliptic curve's public key.", failure);
        }
    }

    private static bool IsKnown(SecurityKey key)
    {
        try
        {
            return key is not X509SecurityKey { PublicKey: null };
        }
        catch (Exception unknown) when (unknown is PlatformNotSupportedException or CryptographicException)
        {
            return false;
        }
    }

    private static void Require(bool isGood, string path, string what)
    {
        if (!isGood)
        {
            throw new CryptographicException($"'{path}' holds {what}.");
        }
    }
}
