using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Pile.Server.Tests.Security;

/// <summary>An issuer of JSON Web Tokens, written from RFC 7515 to 7519 and not by the library that checks them.</summary>
internal sealed class TestTokens : IDisposable
{
    internal const string Issuer = "https://issuer.test/";
    internal const string Audience = "pile";

    private readonly RSA _key = RSA.Create(2048);

    public void Dispose() => _key.Dispose();

    internal string Pem => _key.ExportSubjectPublicKeyInfoPem();

    internal RSA Key => _key;

    /// <summary>The key as a JSON Web Key Set.</summary>
    internal string Set(string id)
    {
        RSAParameters key = _key.ExportParameters(includePrivateParameters: false);
        return $$"""{ "keys": [ { "kty": "RSA", "use": "sig", "alg": "RS256", "kid": "{{id}}", "n": "{{Encoded(key.Modulus!)}}", "e": "{{Encoded(key.Exponent!)}}" } ] }""";
    }

    /// <summary>The claims of a good token, to be changed.</summary>
    internal static Dictionary<string, object> Claims(DateTimeOffset now, string scope = "openid pile.read pile.write") => new()
    {
        ["iss"] = Issuer,
        ["aud"] = Audience,
        ["sub"] = "worker",
        ["scope"] = scope,
        ["nbf"] = now.AddMinutes(-1).ToUnixTimeSeconds(),
        ["exp"] = now.AddMinutes(10).ToUnixTimeSeconds(),
    };

    /// <summary>A token signed by this issuer.</summary>
    internal string Sign(Dictionary<string, object> claims, Dictionary<string, object>? head = null)
    {
        string signed = Parts(head ?? new() { ["alg"] = "RS256", ["typ"] = "JWT" }, claims);
        return signed + "." + Encoded(_key.SignData(Encoding.ASCII.GetBytes(signed), HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1));
    }

    /// <summary>A token that is not signed at all.</summary>
    internal static string Unsigned(Dictionary<string, object> claims, string algorithm) => Parts(new() { ["alg"] = algorithm, ["typ"] = "JWT" }, claims) + ".";

    /// <summary>A token with a keyed hash.</summary>
    internal static string Hashed(Dictionary<string, object> claims, byte[] secret)
    {
        string signed = Parts(new() { ["alg"] = "HS256", ["typ"] = "JWT" }, claims);
        return signed + "." + Encoded(HMACSHA256.HashData(secret, Encoding.ASCII.GetBytes(signed)));
    }

    private static string Parts(Dictionary<string, object> head, Dictionary<string, object> claims) =>
        Encoded(JsonSerializer.SerializeToUtf8Bytes(head)) + "." + Encoded(JsonSerializer.SerializeToUtf8Bytes(claims));

    private static string Encoded(byte[] bytes) => Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');
}
