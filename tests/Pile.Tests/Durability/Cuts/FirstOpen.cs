// How the first open after a power cut ends, for the one that comes after it.
// It has found and stored where segments end; what of that is durable, its sync decides.
namespace Pile.Tests.Durability.Cuts;

/// <summary>How an open ends.</summary>
public enum FirstOpen
{
    /// <summary>It is the only one.</summary>
    Ends,

    /// <summary>Its process is killed before it has synced.</summary>
    IsKilled,

    /// <summary>Its sync fails, and so does the open.</summary>
    FailsToSync,
}
