// The keys and the issuer that an OpenID Connect provider tells. The first time all calls wait for one answer; later ones are asked for
// beside the calls, at most every five minutes, as Microsoft.IdentityModel has it. An authority that does not answer is left alone for a second.
using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Logging;
using Microsoft.IdentityModel.Protocols;
using Microsoft.IdentityModel.Protocols.OpenIdConnect;
using Pile.Server.Calls;

namespace Pile.Server.Security;

/// <summary>An authority. Thread-safe.</summary>
internal sealed class JwtAuthority
{
    private readonly Lock _gate = new();
    private readonly string _address;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;
    private Task? _first;
    private long _asked;

    internal JwtAuthority(string address, ILogger logger, TimeProvider time)
    {
        _address = address;
        _logger = logger;
        _time = time;
        string metadata = address.TrimEnd('/') + "/.well-known/openid-configuration";
        Configuration = new ConfigurationManager<OpenIdConnectConfiguration>(metadata, new OpenIdConnectConfigurationRetriever(), new JwtDocuments(new Uri(metadata).Scheme == Uri.UriSchemeHttps));
    }

    /// <summary>Where tokens' checks read keys and issuer.</summary>
    internal ConfigurationManager<OpenIdConnectConfiguration> Configuration { get; }

    /// <summary>Is done when there are keys.</summary>
    /// <returns>A task that fails when the authority does not tell any; the next call after a second asks again.</returns>
    internal Task ReadyAsync()
    {
        lock (_gate)
        {
            if (_first is null || (_first.IsFaulted && _time.GetElapsedTime(_asked) >= ServerLimits.FilesLook))
            {
                _asked = _time.GetTimestamp();
                _first = Task.Run(AskAsync);
            }

            return _first;
        }
    }

    private async Task AskAsync()
    {
        try
        {
            _ = await Configuration.GetConfigurationAsync(CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception failure)
        {
            ServerLog.AuthorityUnreachable(_logger, _address, failure);
            throw;
        }
        finally
        {
            // The calls that wait for it go on from here: not on the thread that waits for sockets (SocketCompletions).
            await Task.Yield();
        }
    }
}
