// Bytes of messages that all calls together hold while they are received: what waits between Kestrel and gRPC (CountedReader), and what
// has come of values that travel in chunks (LargeCalls).
namespace Pile.Server.Calls;

/// <summary>The budget of what is being received. Thread-safe.</summary>
internal sealed class ReceiveBudget(long bytesMax) : ByteBudget(
    bytesMax, $"The server receives as much as it may at once: {bytesMax:N0} bytes (ReceiveBudgetBytes). Try again in a moment, or send less at once.")
{
    /// <summary>Refuses a value for which there is no room even when nothing else is received.</summary>
    /// <param name="bytes">The most that it needs at once.</param>
    /// <param name="length">Bytes of the value.</param>
    /// <exception cref="Grpc.Core.RpcException">RESOURCE_EXHAUSTED, not to be tried again.</exception>
    internal void RequireRoom(long bytes, long length)
    {
        if (bytes > BytesMax)
        {
            throw CallFailure.TooLarge($"A value has {length:N0} bytes, and needs {bytes:N0} while it comes; the server has {BytesMax:N0} for all that comes (ReceiveBudgetBytes). Raise it to twice ValueBytesMax, or store the value in parts.");
        }
    }
}
