namespace Pile.Tests.Durability.Kill;

/// <summary>What a message of a child says.</summary>
internal enum KillWord : byte
{
    /// <summary>The pile is open; the lane is how.</summary>
    Opened = 1,

    /// <summary>An object that the open pile holds.</summary>
    Found,

    /// <summary>All objects were found, and Verify was good.</summary>
    Verified,

    /// <summary>A call begins.</summary>
    Begun,

    /// <summary>The call returned, and did what it said.</summary>
    Done,

    /// <summary>The call returned, and refused: the object is gone.</summary>
    Gone,

    /// <summary>A commit returned; the version is the flush that it waited for.</summary>
    Committed,

    /// <summary>The pile was closed in order.</summary>
    Closed,
}
