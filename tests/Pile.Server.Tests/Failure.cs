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
        RpcException failure = await Assert.ThrowsAsync<RpcException>(call);
        Assert.True(code == failure.StatusCode, $"{failure.StatusCode}: {failure.Status.Detail}");
        Metadata.Entry? trailer = failure.Trailers.Get("pile-error-bin");
        Assert.True(trailer is not null, $"no detail: {failure.Status.Detail}");
        V1.ErrorDetail detail = V1.ErrorDetail.Parser.ParseFrom(trailer.ValueBytes);
        Assert.Equal(failure.Status.Detail, detail.Text);
        return detail;
    }
}
