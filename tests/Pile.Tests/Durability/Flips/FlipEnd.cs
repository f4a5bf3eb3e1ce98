namespace Pile.Tests.Durability.Flips;

/// <summary>How a pile was ended before its files are damaged.</summary>
public enum FlipEnd
{
    /// <summary>In order.</summary>
    Close,

    /// <summary>Killed: its segments are open.</summary>
    Kill,

    /// <summary>Cut off its power, all of it having been committed.</summary>
    Cut,
}
