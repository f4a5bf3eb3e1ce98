// Clients by the JSON Web Tokens that they send. Microsoft.IdentityModel checks signature, issuer, audience and lifetime; only algorithms of
// public keys count, so that neither "none" nor a shared secret is one. A token that was found good is believed for a minute without another
// check of its signature, and never beyond its end. No token, and nothing that the library says of one, is logged or told.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.Logging;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;
using Pile.Server.Calls;

namespace Pile.Server.Security;

/// <summary>The checks of JSON Web Tokens. Thread-safe.</summary>
internal sealed class JwtClients
{
    private static readonly string[] _algorithms =
    [
        SecurityAlgorithms.RsaSha256, SecurityAlgorithms.RsaSha384, SecurityAlgorithms.RsaSha512, SecurityAlgorithms.RsaSsaPssSha256, SecurityAlgorithms.RsaSsaPssSha384,
        SecurityAlgorithms.RsaSsaPssSha512, SecurityAlgorithms.EcdsaSha256, SecurityAlgorithms.EcdsaSha384, SecurityAlgorithms.EcdsaSha512,
    ];

    private readonly PileServerJwt _jwt;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly JsonWebTokenHandler _handler = new();
    private readonly CallRates _refused;
    private readonly TokenValidationParameters _parameters;
    private readonly JwtAuthority? _authority;
    private readonly ConcurrentDictionary<TokenHash, (CallClient Client, DateTimeOffset Until)> _known = new();

    /// <summary>Reads the key file, where there is one.</summary>
    /// <exception cref="System.IO.IOException">It can't be read.</exception>
    /// <exception cref="System.Security.Cryptography.CryptographicException">It holds no keys that can be used.</exception>
    internal JwtClients(PileServerJwt jwt, ILogger logger, TimeProvider time)
    {
        _jwt = jwt;
        _time = time;
        _refused = new CallRates(ServerLimits.TokensRefusedPerSecondMax, time);
        _logger = logger;
        _parameters = new TokenValidationParameters
        {
            ValidAlgorithms = _algorithms,
            ValidAudience = jwt.Audience,
            ValidIssuer = jwt.Issuer,
            ClockSkew = jwt.ClockSkew,
            LifetimeValidator = IsAlive,
        };
        if (jwt.KeyFile is { } path)
        {
            var keys = new ReadAgain<SecurityKey[]>([path], () => Read(path), failure => ServerLog.KeysUnreadable(logger, path, failure), time);
            _parameters.IssuerSigningKeyResolver = (_, _, id, _) => keys.Current.Where(key => string.IsNullOrEmpty(id) || string.IsNullOrEmpty(key.KeyId) || key.KeyId == id);
        }
        else
        {
            _authority = new JwtAuthority(jwt.Authority!, logger, time);
            _parameters.ConfigurationManager = _authority.Configuration;
        }
    }

    /// <summary>Whether a token could be one: three parts with points between them.</summary>
    internal static bool IsShapedSo(ReadOnlySpan<char> token) => token.Count('.') == 2;

    /// <summary>Who sends a token.</summary>
    /// <param name="token">The token.</param>
    /// <param name="hash">Its SHA-256.</param>
    /// <param name="address">Where it comes from.</param>
    /// <exception cref="RpcException">The authority's keys can't be had now, or too many tokens from there were none.</exception>
    internal ValueTask<CallClient> FindAsync(string token, TokenHash hash, IPAddress? address)
    {
        if (!_known.TryGetValue(hash, out (CallClient Client, DateTimeOffset Until) known))
        {
            return CheckAsync(token, hash, address?.ToString() ?? "");
        }

        if (_time.GetUtcNow() < known.Until)
        {
            return ValueTask.FromResult(known.Client);
        }

        _ = _known.TryRemove(hash, out _);
        return CheckAsync(token, hash, address?.ToString() ?? "");
    }

    // Who sends one bad token after another has no more of them checked for a while; tokens that are known to be good are not asked about.
    private async ValueTask<CallClient> CheckAsync(string token, TokenHash hash, string address)
    {
        if (!_refused.MayBegin(address))
        {
            throw CallFailure.Busy($"{ServerLimits.TokensRefusedPerSecondMax} tokens from this address were refused within a second: no other is checked for now. Try again in a moment.");
        }

        CallClient client = await CheckAsync(token, hash).ConfigureAwait(false);
        if (client.Problem is not null)
        {
            _ = _refused.TryBegin(address);
        }

        return client;
    }

    private async ValueTask<CallClient> CheckAsync(string token, TokenHash hash)
    {
        if (_authority is not null)
        {
            try
            {
                await _authority.ReadyAsync().ConfigureAwait(false);
            }
            catch (Exception)
            {
                // The log has it once, from where it was asked.
                throw CallFailure.Of(StatusCode.Unavailable, PileStatus.Busy, "The keys that tokens are checked by can't be had now. Try again in a moment.", ServerLimits.RetryAfterMs);
            }
        }

        TokenValidationResult result = await _handler.ValidateTokenAsync(token, _parameters).ConfigureAwait(false);
        if (!result.IsValid)
        {
            return CallClient.Unknown(Problem(result.Exception));
        }

        var read = (JsonWebToken)result.SecurityToken;
        if (read.TryGetHeaderValue("crit", out object _))
        {
            return CallClient.Unknown("The token demands an extension ('crit') that the server does not know.");
        }

        string? name = read.Claims.FirstOrDefault(claim => claim.Type == _jwt.NameClaim)?.Value;
        if (string.IsNullOrEmpty(name))
        {
            return CallClient.Unknown($"The token has no claim '{_jwt.NameClaim}', which names the client.");
        }

        // By a hash of the whole name: what is shown of two may be alike, and a rate is kept for no longer a name than this, however long its issuer makes it.
        var client = new CallClient("jwt:" + ShownName.Of(name), AccessOf(read)) { RateName = "jwt:sha256:" + Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(name))) };
        DateTimeOffset until = _time.GetUtcNow() + ServerLimits.TokenBelieved;
        if (_known.Count >= ServerLimits.TokensKnownMax)
        {
            _known.Clear();
        }

        // Its end plus the skew may be later than there are dates.
        _known[hash] = (client, until - _jwt.ClockSkew < read.ValidTo ? until : read.ValidTo + _jwt.ClockSkew);
        return client;
    }

    private SecurityKey[] Read(string path)
    {
        SecurityKey[] keys = JwtKeys.Read(path);
        ServerLog.KeysLoaded(_logger, path, keys.Length);
        return keys;
    }

    private PileServerAccess AccessOf(JsonWebToken token)
    {
        PileServerAccess access = PileServerAccess.None;
        IEnumerable<string> words = token.Claims.Where(claim => claim.Type == _jwt.AccessClaim).SelectMany(static claim => claim.Value.Split([' ', ','], StringSplitOptions.RemoveEmptyEntries));
        foreach (string word in words.Where(word => word.StartsWith(_jwt.AccessPrefix, StringComparison.Ordinal)))
        {
            _ = PileServerClient.TryReadAccess(word[_jwt.AccessPrefix.Length..], out PileServerAccess one);
            access |= one;
        }

        return access;
    }

    // By the clock of the host. What is thrown becomes the result's exception.
    private bool IsAlive(DateTime? notBefore, DateTime? expires, SecurityToken token, TokenValidationParameters parameters)
    {
        DateTime now = _time.GetUtcNow().UtcDateTime;
        return expires is null ? throw new SecurityTokenNoExpirationException()
            : now - _jwt.ClockSkew >= expires ? throw new SecurityTokenExpiredException()
            : notBefore is { } first && now + _jwt.ClockSkew < first ? throw new SecurityTokenNotYetValidException()
            : true;
    }

    private static string Problem(Exception failure) => failure switch
    {
        SecurityTokenExpiredException => "The token has expired. Get a new one.",
        SecurityTokenNotYetValidException => "The token is not valid yet: the clocks of its issuer and of this machine differ by more than ClockSkew.",
        SecurityTokenNoExpirationException => "The token has no end ('exp'): only tokens that end are taken.",
        SecurityTokenInvalidAudienceException => "The token is for another audience ('aud').",
        SecurityTokenInvalidIssuerException => "The token is another issuer's ('iss').",
        SecurityTokenInvalidSignatureException => "The token is signed by none of the keys that the server knows, or by another algorithm than RS, PS or ES with 256, 384 or 512 bits.",
        _ => "The token is no client's, and no JSON Web Token that the server takes.",
    };
}
