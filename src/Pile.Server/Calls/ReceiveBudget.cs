// Bytes of messages that all calls together hold while they are received. A limit for each message times thousands of streams would be
// none; a call that finds no room here is refused before the pile is touched.
using System.Threading;

namespace Pile.Server.Calls;

/// <summary>The server-wide budget of bytes that are being received. Thread-safe.</summary>
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

    /// <summary>What a call is told that finds no room.</summary>
    internal Grpc.Core.RpcException Refusal() =>
        CallFailure.Busy($"The server receives as much as it may at once: {bytesMax:N0} bytes (ReceiveBudgetBytes). Try again in a moment, or send less at once.");
}
