// What the server writes to the log, under the category of who writes it. Event ids are stable from 301 on. No line has a key, a value
// or a token.
using System;
using Microsoft.Extensions.Logging;

namespace Pile.Server.Calls;

/// <summary>The messages.</summary>
internal static partial class ServerLog
{
    [LoggerMessage(301, LogLevel.Information, "Serving; tables: {Tables}")]
    internal static partial void Serving(ILogger logger, int tables);

    [LoggerMessage(302, LogLevel.Information, "Stopping: calls that were accepted are finished, new ones refused")]
    internal static partial void Stopping(ILogger logger);

    [LoggerMessage(303, LogLevel.Warning, "{Method} took {DurationMs} ms for {Client} (lines like this one left out before it: {LeftOut})")]
    internal static partial void Slow(ILogger logger, string method, long durationMs, string client, long leftOut);

    [LoggerMessage(304, LogLevel.Error, "{Method} failed unexpectedly")]
    internal static partial void Failed(ILogger logger, string method, Exception exception);

    [LoggerMessage(305, LogLevel.Warning, "{Method} was refused to {Client} from {Address}: {Reason} (lines like this one left out before it: {LeftOut})")]
    internal static partial void Refused(ILogger logger, string method, string client, string address, string reason, long leftOut);

    [LoggerMessage(306, LogLevel.Information, "Set up to listen on {Address}")]
    internal static partial void Listening(ILogger logger, string address);

    [LoggerMessage(307, LogLevel.Warning, "{Address} is no loopback address and has no TLS: everybody on the network reads what is sent, tokens included")]
    internal static partial void InTheClear(ILogger logger, string address);

    [LoggerMessage(308, LogLevel.Information, "The certificate '{Path}' is used from now on; it ends {NotAfter:O}")]
    internal static partial void CertificateLoaded(ILogger logger, string path, DateTimeOffset notAfter);

    [LoggerMessage(310, LogLevel.Warning, "Streams have not ended in the time that a stop gives them: their connections are closed")]
    internal static partial void StreamsOutlast(ILogger logger);

    [LoggerMessage(309, LogLevel.Error, "The certificate '{Path}' has changed and can't be read: the one before is used on")]
    internal static partial void CertificateUnreadable(ILogger logger, string path, Exception exception);

    [LoggerMessage(311, LogLevel.Information, "{Keys} keys of '{Path}' are used from now on to check tokens")]
    internal static partial void KeysLoaded(ILogger logger, string path, int keys);

    [LoggerMessage(312, LogLevel.Error, "The keys '{Path}' have changed and can't be read: those before are used on")]
    internal static partial void KeysUnreadable(ILogger logger, string path, Exception exception);

    [LoggerMessage(313, LogLevel.Error, "The authority '{Authority}' does not tell its keys: no token can be checked")]
    internal static partial void AuthorityUnreachable(ILogger logger, string authority, Exception exception);

    [LoggerMessage(314, LogLevel.Error, "The table '{Table}' can't be opened as it was made, and is not served. Drop it, or make it again")]
    internal static partial void TableLeftOut(ILogger logger, string table, Exception exception);

    [LoggerMessage(315, LogLevel.Warning, "A connection was refused, by the certificate of its client: {Problem} (lines like this one left out before it: {LeftOut})")]
    internal static partial void CertificateRefused(ILogger logger, string problem, long leftOut);

    [LoggerMessage(316, LogLevel.Warning, "At most {Connections} connections at once at each address, and not ConnectionsMax = {ConnectionsMax}: the process may have {Files} files open. Raise that limit (ulimit -n, LimitNOFILE)")]
    internal static partial void FewConnections(ILogger logger, long connections, long connectionsMax, long files);
}
