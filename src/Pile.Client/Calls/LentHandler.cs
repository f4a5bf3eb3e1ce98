// gRPC's client over connections that are shared with requests of our own. It knows nothing of the handler below, so that it leaves
// connections to it, and does not dispose it.
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Calls;

/// <summary>A handler that sends by an invoker which is another's.</summary>
internal sealed class LentHandler(HttpMessageInvoker invoker) : HttpMessageHandler
{
    /// <inheritdoc/>
    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken) => invoker.SendAsync(request, cancellationToken);
}
