// Who makes a call, as the gate has found out. What the client is called is for the log.
// One object for each client that the server knows, and one for all others.
namespace Pile.Server.Security;

/// <summary>A client.</summary>
/// <param name="Name">Its name in the configuration; empty for those who are not in it.</param>
/// <param name="Access">What it may do.</param>
internal sealed record CallClient(string Name, PileServerAccess Access);
