namespace Pile.Tests.Durability.Model;

/// <summary>How far a flush is.</summary>
internal enum FlushStep
{
    Idle,

    /// <summary>The lengths are read; what is requested from here on waits for the next flush.</summary>
    Started,
    Synced,
}
