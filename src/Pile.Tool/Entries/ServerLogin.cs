// By what the tool knows a server, and makes itself known to it: options of the command line, the token also of the environment, where no
// list of processes shows it.
using System;
using System.CommandLine;
using System.Threading;
using Pile.Client;

namespace Pile.Tool.Entries;

/// <summary>Options of a connection.</summary>
internal static class ServerLogin
{
    private const string TokenVariable = "PILE_TOKEN";
    private const int DeadlineSeconds = 30;

    private static readonly Option<string?> _token = new("--token") { Description = $"The token that the server knows; better in the variable {TokenVariable}, which no list of processes shows.", HelpName = "token" };
    private static readonly Option<string?> _authority = new("--ca") { Description = "A file of PEM with the authorities that may have signed the server's certificate; those of this machine unless given.", HelpName = "file" };
    private static readonly Option<string?> _certificate = new("--cert") { Description = "The certificate of this client, for servers that ask for one: a file of PEM or PFX.", HelpName = "file" };
    private static readonly Option<string?> _key = new("--cert-key") { Description = "The key of --cert, where that is PEM and has it not.", HelpName = "file" };

    /// <summary>The options.</summary>
    internal static Option[] Options { get; } = [_token, _authority, _certificate, _key];

    /// <summary>Makes a client of an address.</summary>
    /// <exception cref="ArgumentException">The address, or an option, can't be so.</exception>
    /// <param name="parsed">The command line.</param>
    /// <param name="address">The server.</param>
    /// <param name="isLong">Whether a call may take as long as it takes.</param>
    /// <param name="isBatching">Whether many calls are made at once, which travel together then.</param>
    internal static PileClient Connect(ParseResult parsed, string address, bool isLong, bool isBatching)
    {
        (string? certificate, string? key) = (parsed.GetValue(_certificate), parsed.GetValue(_key));
        if (key is not null && certificate is null)
        {
            throw new ArgumentException($"{_key.Name} is there without {_certificate.Name}, which it belongs to: name that file too, or leave {_key.Name} away.");
        }

        return new PileClient(new PileClientOptions
        {
            Address = address,
            Token = parsed.GetValue(_token) ?? Environment.GetEnvironmentVariable(TokenVariable) switch { "" => null, var token => token },
            // A command line asks for one thing: a stream for calls that travel together would be ended by it as soon as it has begun.
            IsBatching = isBatching,
            Deadline = isLong ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(DeadlineSeconds),
            Tls = new PileClientTlsOptions { AuthorityFile = parsed.GetValue(_authority), CertificateFile = certificate, KeyFile = key },
        });
    }
}
