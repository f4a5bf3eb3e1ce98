// Bytes of messages that all calls together hold while they are received, and of replies that their clients have yet to take. A limit for
// each message times thousands of streams would be none; a call that finds no room here is refused: a write before the pile is touched,
// a read before its reply is written.
using System;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace Pile.Server.Calls;

/// <summary>The server-wide budget of bytes that wait for the network. Thread-safe.</summary>
internal sealed class ReceiveBudget(long bytesMax)
{
    private long _taken;

    internal long TakenBytes => Interlocked.Read(ref _taken);

    internal long BytesMax => bytesMax;

    /// <summary>Takes some of it.</summary>
    internal bool TryTake(long bytes)
    {
        if (Interlocked.Add(ref _taken, bytes) <= bytesMax)
        {
            return true;
        }

        Give(bytes);
        return false;
    }

    internal void Give(long bytes) => Interlocked.Add(ref _taken, -bytes);

    /// <summary>Refuses a reply that there is no room for, before it is written.</summary>
    /// <param name="bytes">Its bytes.</param>
    internal void CheckReply(long bytes)
    {
        if (bytes > ServerLimits.ReplyFreeBytes && TakenBytes > bytesMax - bytes)
        {
            throw Refusal();
        }
    }

    /// <summary>Sends what was written, and waits while the client takes none of it; it is counted until then.</summary>
    internal ValueTask<FlushResult> FlushAsync(PipeWriter replies, CancellationToken cancel)
    {
        long bytes = replies.UnflushedBytes;
        return bytes > ServerLimits.ReplyFreeBytes ? HeldAsync(replies, bytes, cancel) : replies.FlushAsync(cancel);
    }

    /// <summary>Sends what a call that is over has written, where that is much: the connection would keep it for as long as the client likes, and count nothing.</summary>
    internal async ValueTask SendAsync(HttpContext context)
    {
        PipeWriter reply = context.Response.BodyWriter;
        if (reply.UnflushedBytes > ServerLimits.ReplyFreeBytes)
        {
            try
            {
                _ = await FlushAsync(reply, context.RequestAborted).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                // The client is gone: so is the reply.
            }
        }
    }

    /// <summary>What a call is told that finds no room.</summary>
    internal Grpc.Core.RpcException Refusal() => CallFailure.Busy(
        $"The server receives and sends as much as it may at once: {bytesMax:N0} bytes (ReceiveBudgetBytes). Try again in a moment, or send and ask for less at once.");

    private async ValueTask<FlushResult> HeldAsync(PipeWriter replies, long bytes, CancellationToken cancel)
    {
        // They are there already, and were checked: those who checked at once may go beyond the limit together, by a reply of each thread.
        Give(-bytes);
        try
        {
            return await replies.FlushAsync(cancel).ConfigureAwait(false);
        }
        finally
        {
            Give(bytes);
        }
    }
}
