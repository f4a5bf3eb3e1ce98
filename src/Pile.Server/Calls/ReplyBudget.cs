// Bytes of replies that all calls together hold until their clients have taken them: unary ones and batches of reads, and large values while they
// travel. What a reply has beside what a connection buffers anyway counts, and while a page of a scan is made what it may have; CallGate and BatchStream wait
// until a large one has gone.
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Pile.Server.Packed;

namespace Pile.Server.Calls;

/// <summary>The budget of replies under way. Thread-safe.</summary>
internal sealed class ReplyBudget(long bytesMax) : ByteBudget(
    bytesMax, $"Replies that clients have not taken yet have as many bytes as they may: {bytesMax:N0} (ReplyBudgetBytes). Read what is under way, then try again, or ask for less at once.")
{
    /// <summary>What a reply counts for.</summary>
    internal static long CountedOf(long bytes) => long.Max(0, bytes - ServerLimits.ReplyFreeBytes);

    /// <summary>Refuses a value for which there is no room even when nothing else is under way.</summary>
    /// <exception cref="RpcException">RESOURCE_EXHAUSTED, not to be tried again.</exception>
    internal void RequireRoom(long length)
    {
        if (length > BytesMax)
        {
            throw CallFailure.TooLarge($"The value has {length:N0} bytes; the server has {BytesMax:N0} for all replies under way (ReplyBudgetBytes). Raise it to ValueBytesMax at least.");
        }
    }

    /// <summary>Counts the reply of a unary call until it has gone.</summary>
    /// <exception cref="RpcException">There is no room.</exception>
    internal void Count(ServerCallContext context, long bytes) => Count(context.GetHttpContext(), bytes);

    /// <summary>Counts a reply until it has gone. Outcomes of writes are no longer than what asked for them, and can't be refused: they have taken effect.</summary>
    /// <exception cref="RpcException">There is no room; the reply is given back.</exception>
    internal PackedReply Counted(HttpContext context, PackedReply reply)
    {
        bool isCounted = false;
        try
        {
            Count(context, reply.Values.Length);
            isCounted = true;
            return reply;
        }
        finally
        {
            if (!isCounted)
            {
                reply.Return();
            }
        }
    }

    /// <inheritdoc cref="Count(ServerCallContext, long)"/>
    internal void Count(HttpContext context, long bytes)
    {
        long counted = CountedOf(bytes);
        Take(counted);
        GiveWhenGone(context, counted);
    }

    /// <summary>Gives back what was taken for the reply of a call, when it has gone.</summary>
    internal void GiveWhenGone(HttpContext context, long counted)
    {
        if (counted > 0)
        {
            context.Response.OnCompleted(() =>
            {
                Give(counted);
                return Task.CompletedTask;
            });
        }
    }
}
