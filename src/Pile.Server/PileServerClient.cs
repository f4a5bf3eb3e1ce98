// A client that the server knows: by a token, by a certificate, or by either.
// The server has no token itself, only its hash.
using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Hosting;

namespace Pile.Server;

/// <summary>A client that the server knows, and what it may do. At least one of the two hashes is given.</summary>
public sealed class PileServerClient : IConfiguredOptions
{
    /// <summary>SHA-256 of the token that the client sends as <c>authorization: Bearer token</c>, over its UTF-8, as 64 hexadecimal digits.
    /// Null for none. Tokens must be random, 128 bits or more: the hash of a guessable one is as good as the token.</summary>
    public string? TokenSha256 { get; set; }

    /// <summary>SHA-256 of the certificate by which the client connects (its thumbprint), as 64 hexadecimal digits. Null for none.</summary>
    public string? CertificateSha256 { get; set; }

    /// <summary>What it may do.</summary>
    public PileServerAccess Access { get; set; }

    internal List<string> Problems { get; } = [];

    List<string> IConfiguredOptions.Problems => Problems;

    /// <summary>The settings that a client has in configuration.</summary>
    internal static IReadOnlyList<PileSetting<PileServerClient>> Settings { get; } =
    [
        PileSetting<PileServerClient>.Text(nameof(TokenSha256), "64 hexadecimal digits", static (client, text) => client.TokenSha256 = text),
        PileSetting<PileServerClient>.Text(nameof(CertificateSha256), "64 hexadecimal digits", static (client, text) => client.CertificateSha256 = text),
        new(nameof(Access), AccessForm, ["string"], [], static (client, text) =>
        {
            bool isRead = TryReadAccess(text, out PileServerAccess access);
            client.Access = access;
            return isRead;
        }),
    ];

    internal const string AccessForm = "None, or some of Read, Write and Admin with commas between them";

    /// <summary>Reads names with commas between them; a number is no name.</summary>
    internal static bool TryReadAccess(string text, out PileServerAccess access)
    {
        access = PileServerAccess.None;
        foreach (string part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            string? name = Enum.GetNames<PileServerAccess>().FirstOrDefault(known => string.Equals(known, part, StringComparison.OrdinalIgnoreCase));
            if (name is null)
            {
                return false;
            }

            access |= Enum.Parse<PileServerAccess>(name);
        }

        return true;
    }
}
