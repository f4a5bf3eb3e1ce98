// The documents of an authority: what it says of itself, and the keys that this names. Whoever could answer for it would sign tokens, so each
// address must be as safe as the authority's own may be: by https, or by http of the loopback address, and never from the first to the second.
using System;
using System.IO;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.IdentityModel.Protocols;

namespace Pile.Server.Security;

/// <summary>Gets documents. Thread-safe.</summary>
internal sealed class JwtDocuments : IDocumentRetriever
{
    private readonly bool _isSecure;
    private readonly HttpDocumentRetriever _inner;

    /// <param name="isSecure">Whether the authority is one by https.</param>
    internal JwtDocuments(bool isSecure)
    {
        // A redirection from the loopback address could lead anywhere.
        var http = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = isSecure }) { Timeout = ServerLimits.AuthorityWait, MaxResponseContentBufferSize = ServerLimits.KeyFileBytesMax };
        _isSecure = isSecure;
        _inner = new HttpDocumentRetriever(http) { RequireHttps = isSecure };
    }

    /// <inheritdoc/>
    /// <exception cref="IOException">The address is not safe, or does not answer.</exception>
    public Task<string> GetDocumentAsync(string address, CancellationToken cancel) => IsSafe(address)
        ? _inner.GetDocumentAsync(address, cancel)
        : throw new IOException($"The authority names '{address}', which is neither by https nor by http of the loopback address: whoever is in between could give any keys.");

    private bool IsSafe(string address) => Uri.TryCreate(address, UriKind.Absolute, out Uri? uri)
        && (uri.Scheme == Uri.UriSchemeHttps || (!_isSecure && uri.Scheme == Uri.UriSchemeHttp && uri.IsLoopback));
}
