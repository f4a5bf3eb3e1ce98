// Who makes a call, as the gate has found out. What the client is called is for the log.
// One object for each client that the server knows, and one for all others.
namespace Pile.Server.Security;

/// <summary>A client.</summary>
/// <param name="Name">Its name in the configuration or in its token; empty for those who have none.</param>
/// <param name="Access">What it may do.</param>
/// <param name="Problem">What is wrong with the token that it has sent, for it and for nobody else; null for clients that are known.</param>
internal sealed record CallClient(string Name, PileServerAccess Access, string? Problem = null)
{
    /// <summary>What its rate goes by: the whole of who it is, however much of its name is shown.</summary>
    internal string RateName { get; init; } = Name;

    /// <summary>Who has sent a token that is nobody's.</summary>
    internal static CallClient Unknown(string problem) => new("?", PileServerAccess.None, problem);
}
