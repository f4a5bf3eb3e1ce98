// Bytes of messages that all calls together hold while they are received: what waits between Kestrel and gRPC (CountedReader), and what
// has come of values that travel in chunks (LargeCalls).
namespace Pile.Server.Calls;

/// <summary>The budget of what is being received. Thread-safe.</summary>
internal sealed class ReceiveBudget(long bytesMax) : ByteBudget(
    bytesMax, $"The server receives as much as it may at once: {bytesMax:N0} bytes (ReceiveBudgetBytes). Try again in a moment, or send less at once.");
