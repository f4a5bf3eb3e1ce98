// The time that replies may take once Kestrel holds as much as it likes and the client takes nothing: some seconds, and more by their bytes. Who asks and
// does not read is ended, so that those who read are not kept out. What is gone at once has no time, and costs nothing here.
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

    /// <summary>Sends what was written, and waits until the client has taken it, but for what Kestrel keeps of it (64 KiB).</summary>
    /// <param name="response">What it was written to.</param>
    /// <param name="call">Ends with the call.</param>
    /// <exception cref="RpcException">DEADLINE_EXCEEDED: the client was too slow; its call was reset.</exception>
    internal ValueTask<FlushResult> FlushAsync(HttpResponse response, CancellationToken call)
    {
        long bytes = response.BodyWriter.UnflushedBytes;
        ValueTask<FlushResult> flush = response.BodyWriter.FlushAsync(call);
        return flush.IsCompleted ? flush : TakenAsync(response.HttpContext, flush, bytes);
    }

    private async ValueTask<FlushResult> TakenAsync(HttpContext context, ValueTask<FlushResult> flush, long bytes)
    {
        using var late = new CancellationTokenSource(ServerLimits.LargeIdle + TimeSpan.FromSeconds(bytes / (double)ServerLimits.LargeBytesPerSecondMin), _time);
        FlushResult result = default;
        try
        {
            // The flush ends with its call. When the registration has ended, no other call of these objects is reset.
            using CancellationTokenRegistration reset = late.Token.UnsafeRegister(static context => ((HttpContext)context!).Abort(), context);
            result = await flush.ConfigureAwait(false);
        }
        catch (Exception) when (late.IsCancellationRequested)
        {
            // Told below.
        }

        if (!late.IsCancellationRequested)
        {
            return result;
        }

        context.Abort();
        throw CallFailure.Of(
            StatusCode.DeadlineExceeded,
            PileStatus.Busy,
            $"The reply was not taken: {ServerLimits.LargeIdle.TotalSeconds:N0} seconds are allowed, and one more for each {ServerLimits.LargeBytesPerSecondMin:N0} bytes of it.",
            ServerLimits.RetryAfterMs);
    }
}
