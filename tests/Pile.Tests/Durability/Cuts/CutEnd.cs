namespace Pile.Tests.Durability.Cuts;

/// <summary>How a session ended.</summary>
internal enum CutEnd
{
    /// <summary>Closed in order.</summary>
    Closed,

    /// <summary>The process was killed; the machine goes on.</summary>
    Killed,

    /// <summary>The power was cut.</summary>
    Cut,
}
