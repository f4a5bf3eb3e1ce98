// What the server says of itself.
// Figures of one table are PileTableDescription's.
namespace Pile.Client;

/// <summary>Figures of a server.</summary>
/// <param name="Figures">Those of its cache.</param>
/// <param name="UsedBytes">Bytes that the cache uses.</param>
/// <param name="MemoryLimitBytes">Bytes that it may use.</param>
/// <param name="IndexBytes">Bytes of its indexes.</param>
/// <param name="Calls">Calls since the start.</param>
/// <param name="FailedCalls">Calls that ended with an error.</param>
/// <param name="ReceivingBytes">Bytes of messages that are being received.</param>
/// <param name="ReceiveBudgetBytes">Bytes that may be received at once.</param>
/// <param name="Version">The server's version.</param>
public sealed record PileServerStats(
    PileClientFigures Figures, long UsedBytes, long MemoryLimitBytes, long IndexBytes, long Calls, long FailedCalls, long ReceivingBytes, long ReceiveBudgetBytes, string Version);
