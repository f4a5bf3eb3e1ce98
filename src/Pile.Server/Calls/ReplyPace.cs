// The time that a reply may take which counts against the budget of replies: some seconds, and more by its bytes. Who asks for much and does not take
// it is ended, so that those who read are not kept out.
using System;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Http;

namespace Pile.Server.Calls;

/// <summary>Waits for replies to be taken. Thread-safe.</summary>
internal sealed class ReplyPace(TimeProvider? time = null)
{
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    /// <summary>Sends what was written, and waits until the client has taken it.</summary>
    /// <param name="response">What it was written to.</param>
    /// <param name="call">Ends with the call.</param>
    /// <exception cref="RpcException">DEADLINE_EXCEEDED: the client was too slow; its call was reset.</exception>
    internal async ValueTask<FlushResult> FlushAsync(HttpResponse response, CancellationToken call)
    {
        PipeWriter replies = response.BodyWriter;
        using var pace = new LargePace(_time, call, CancellationToken.None);
        pace.Allow(replies.UnflushedBytes);
        try
        {
            // A flush that is cancelled takes the call's end with it.
            return await replies.FlushAsync(pace.Ends).ConfigureAwait(false);
        }
        catch (Exception failure) when (pace.IsReason(failure))
        {
            // A flush that was late before it began leaves what was written with Kestrel, and no status would pass it.
            response.HttpContext.Abort();
            throw CallFailure.Of(
                StatusCode.DeadlineExceeded,
                PileStatus.Busy,
                $"The reply was not taken: {ServerLimits.LargeIdle.TotalSeconds:N0} seconds are allowed, and one more for each {ServerLimits.LargeBytesPerSecondMin:N0} bytes of it.",
                ServerLimits.RetryAfterMs);
        }
    }
}
