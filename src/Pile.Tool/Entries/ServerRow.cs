// What a server counts beside its cache.
// Calls are since its start.
namespace Pile.Tool.Entries;

/// <summary>A server.</summary>
/// <param name="Version">Its version.</param>
/// <param name="Calls">Calls.</param>
/// <param name="FailedCalls">Of these, those that ended with an error.</param>
/// <param name="ReceivingBytes">Bytes of messages that are being received.</param>
/// <param name="ReceiveBudgetBytes">The limit on these.</param>
internal sealed record ServerRow(string Version, long Calls, long FailedCalls, long ReceivingBytes, long ReceiveBudgetBytes);
