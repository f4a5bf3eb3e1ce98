using System;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Calls that fail as they must.</summary>
internal static class Failure
{
    /// <summary>The failure of a call: its code, and the detail with the same sentence.</summary>
    internal static async Task<V1.ErrorDetail> OfAsync(StatusCode code, Func<Task> call)
    {
        RpcException failure = await Assert.ThrowsAsync<RpcException>(() => Soon.EndsAsync(call(), $"the call that was to fail with {code}"));
        Assert.True(code == failure.StatusCode, $"{failure.StatusCode}: {failure.Status.Detail}");
        Metadata.Entry? trailer = failure.Trailers.Get("pile-error-bin");
        Assert.True(trailer is not null, $"no detail: {failure.Status.Detail}");
        V1.ErrorDetail detail = V1.ErrorDetail.Parser.ParseFrom(trailer.ValueBytes);
        Assert.Equal(failure.Status.Detail, detail.Text);
        return detail;
    }

    /// <summary>Whether a call ended as one does that meets the server's stop: told so, or by a connection that ended before the client had read it, which .NET
    /// says in just these words (docs/PROTOCOL.md).</summary>
    internal static bool IsOfStop(RpcException failure) => failure.StatusCode == StatusCode.Unavailable
        || (failure.StatusCode == StatusCode.Internal && failure.Status.Detail.Contains("HTTP/2 error code 'NO_ERROR' (0x0)", StringComparison.Ordinal));
}
