// JSON Web Tokens as the server takes them: who signs them, for whom they are, and which of their claims say who a client is and what
// it may do. Security/JwtClients checks them.
using System;
using System.Collections.Generic;
using Pile.Hosting;

namespace Pile.Server;

/// <summary>JSON Web Tokens that the server takes as <c>authorization: Bearer token</c>, beside the tokens of its clients. Either
/// <see cref="Authority"/> or <see cref="KeyFile"/> is given, and <see cref="Audience"/>; without any of them the server takes no such token.</summary>
public sealed class PileServerJwt : IConfiguredOptions
{
    /// <summary>Address of who issues tokens, as an OpenID Connect provider: its keys and its issuer are read from
    /// <c>/.well-known/openid-configuration</c> below it, and again when it has new ones. By https, or by http of the loopback address.</summary>
    public string? Authority { get; set; }

    /// <summary>A file with the keys that sign tokens, read again when it changes: a JSON Web Key Set, or PEM of public keys or certificates.</summary>
    public string? KeyFile { get; set; }

    /// <summary>Who issues tokens: the claim <c>iss</c>. It must be given with <see cref="KeyFile"/>; null: what the authority says.</summary>
    public string? Issuer { get; set; }

    /// <summary>Whom tokens are for: one of the claim <c>aud</c>. It must be given.</summary>
    public string? Audience { get; set; }

    /// <summary>The claim that names the client, for the log and for its rate; <c>sub</c> unless set.</summary>
    public string NameClaim { get; set; } = "sub";

    /// <summary>The claim that says what the client may do: Read, Write and Admin in any case, as a list or with spaces or commas between
    /// them; whatever else stands there counts for nothing. <c>scope</c> unless set.</summary>
    public string AccessClaim { get; set; } = "scope";

    /// <summary>What stands before Read, Write and Admin in that claim; <c>pile.</c> unless set, as in <c>pile.read</c>.</summary>
    public string AccessPrefix { get; set; } = "pile.";

    /// <summary>How far the clocks of the issuer and of this machine may differ, zero to ten minutes; 30 seconds unless set.</summary>
    public TimeSpan ClockSkew { get; set; } = TimeSpan.FromSeconds(30);

    internal bool IsUsed => Authority is not null || KeyFile is not null || Issuer is not null || Audience is not null;

    internal List<string> Problems { get; } = [];

    List<string> IConfiguredOptions.Problems => Problems;

    /// <summary>The settings of the section, in the order of the documents.</summary>
    internal static IReadOnlyList<PileSetting<PileServerJwt>> Settings { get; } =
    [
        PileSetting<PileServerJwt>.Text(nameof(Authority), "an address", static (jwt, text) => jwt.Authority = text),
        PileSetting<PileServerJwt>.Text(nameof(KeyFile), "a path", static (jwt, text) => jwt.KeyFile = text),
        PileSetting<PileServerJwt>.Text(nameof(Issuer), "a text", static (jwt, text) => jwt.Issuer = text),
        PileSetting<PileServerJwt>.Text(nameof(Audience), "a text", static (jwt, text) => jwt.Audience = text),
        PileSetting<PileServerJwt>.Text(nameof(NameClaim), "the name of a claim", static (jwt, text) => jwt.NameClaim = text),
        PileSetting<PileServerJwt>.Text(nameof(AccessClaim), "the name of a claim", static (jwt, text) => jwt.AccessClaim = text),
        PileSetting<PileServerJwt>.Text(nameof(AccessPrefix), "a text", static (jwt, text) => jwt.AccessPrefix = text),
        PileSetting<PileServerJwt>.Duration(nameof(ClockSkew), static (jwt, value) => jwt.ClockSkew = value),
    ];
}
