// Judges the server's options before anything listens, and names the place of the mistake as configuration has it.
// What only the start can find (a port in use, a certificate that is none) is the start's to say.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Options;

namespace Pile.Server.Settings;

/// <summary>The validation of <see cref="PileServerOptions"/>.</summary>
internal sealed class ServerOptionsValidator : IValidateOptions<PileServerOptions>
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, PileServerOptions options)
    {
        List<string> problems = [.. options.Problems];
        Range(problems, nameof(options.MessageBytesMax), options.MessageBytesMax, ServerLimits.MessageBytesMin, ServerLimits.MessageBytesMax);
        Range(problems, nameof(options.KeyBytesMax), options.KeyBytesMax, 1, ServerLimits.KeyBytesMax);
        Range(problems, nameof(options.ValueBytesMax), options.ValueBytesMax, 1, ServerLimits.ValueBytesMax);
        Range(problems, nameof(options.BatchItemsMax), options.BatchItemsMax, 1, ServerLimits.BatchItemsMax);
        Range(problems, nameof(options.TablesMax), options.TablesMax, 1, ServerLimits.TablesMax);
        Range(problems, nameof(options.ReceiveBudgetBytes), options.ReceiveBudgetBytes, options.MessageBytesMax, long.MaxValue / 2);
        Range(problems, nameof(options.ReplyBudgetBytes), options.ReplyBudgetBytes, options.MessageBytesMax, long.MaxValue / 2);
        Range(problems, nameof(options.CallsPerSecondMax), options.CallsPerSecondMax ?? 1, 1, ServerLimits.CallsPerSecondMax);
        if (options.SlowCall <= TimeSpan.Zero)
        {
            problems.Add($"{ServerSettings.Section}:{nameof(options.SlowCall)} = {options.SlowCall} must be more than zero.");
        }

        if (options.CopyDirectory is { } directory && string.IsNullOrWhiteSpace(directory))
        {
            problems.Add($"{ServerSettings.Section}:{nameof(options.CopyDirectory)} is empty: it must be a path. Without it Admin.Copy is refused.");
        }

        foreach ((string client, PileServerClient value) in options.Clients)
        {
            Client(problems, $"{ServerSettings.ClientsSection}:{client}", value);
        }

        Jwt(problems, options.Jwt);
        string[] twice = [.. options.Clients.Values.SelectMany(static client => new[] { client.TokenSha256, client.CertificateSha256 })
            .OfType<string>().GroupBy(static hash => hash, StringComparer.OrdinalIgnoreCase).Where(static group => group.Count() > 1).Select(static group => group.Key)];
        problems.AddRange(twice.Select(static hash => $"{ServerSettings.ClientsSection}: two clients have the hash {hash}. Each client has a token or a certificate of its own."));
        return problems.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(problems);
    }

    private static void Range(List<string> problems, string name, long value, long min, long max)
    {
        if (value < min || value > max)
        {
            problems.Add($"{ServerSettings.Section}:{name} = {value:N0} must lie between {min:N0} and {max:N0}.");
        }
    }

    private static void Jwt(List<string> problems, PileServerJwt jwt)
    {
        problems.AddRange(jwt.Problems);
        if (!jwt.IsUsed)
        {
            return;
        }

        const string Path = ServerSettings.JwtSection;
        if (jwt.Authority is null == jwt.KeyFile is null)
        {
            problems.Add($"{Path} must have either {nameof(jwt.Authority)} or {nameof(jwt.KeyFile)}: one of them says by which keys tokens are checked.");
        }

        if (jwt.Authority is { } authority && !(Uri.TryCreate(authority, UriKind.Absolute, out Uri? uri) && (uri.Scheme == Uri.UriSchemeHttps || (uri.Scheme == Uri.UriSchemeHttp && uri.IsLoopback))))
        {
            problems.Add($"{Path}:{nameof(jwt.Authority)} = '{authority}' must be an address by https, or by http of the loopback address.");
        }

        if (string.IsNullOrWhiteSpace(jwt.Audience))
        {
            problems.Add($"{Path}:{nameof(jwt.Audience)} is missing: without it tokens for other services would count here.");
        }

        if (jwt.KeyFile is not null && string.IsNullOrWhiteSpace(jwt.Issuer))
        {
            problems.Add($"{Path}:{nameof(jwt.Issuer)} is missing, and {nameof(jwt.KeyFile)} needs it: it is the claim 'iss' of tokens.");
        }

        foreach ((string name, string claim) in new[] { (nameof(jwt.NameClaim), jwt.NameClaim), (nameof(jwt.AccessClaim), jwt.AccessClaim) })
        {
            if (string.IsNullOrWhiteSpace(claim))
            {
                problems.Add($"{Path}:{name} is empty: it must be the name of a claim.");
            }
        }

        if (jwt.ClockSkew < TimeSpan.Zero || jwt.ClockSkew > ServerLimits.ClockSkewMax)
        {
            problems.Add($"{Path}:{nameof(jwt.ClockSkew)} = {jwt.ClockSkew} must lie between {TimeSpan.Zero} and {ServerLimits.ClockSkewMax}.");
        }
    }

    private static void Client(List<string> problems, string path, PileServerClient client)
    {
        if (client.TokenSha256 is null && client.CertificateSha256 is null)
        {
            problems.Add($"{path} has neither {nameof(client.TokenSha256)} nor {nameof(client.CertificateSha256)}: nobody could be this client. Make a token, and write its SHA-256 here.");
        }

        foreach ((string name, string? hash) in new[] { (nameof(client.TokenSha256), client.TokenSha256), (nameof(client.CertificateSha256), client.CertificateSha256) })
        {
            if (hash is not null && (hash.Length != 64 || !hash.All(char.IsAsciiHexDigit)))
            {
                problems.Add($"{path}:{name} must be 64 hexadecimal digits, and has {hash.Length} chars.");
            }
        }
    }
}
