// How far the content of a value was gone over, for a walk that is a loop (GraphWalk).
// What the walk knows of the value itself is WalkNode's.
namespace Pile.Codecs;

/// <summary>How far a node was gone over.</summary>
internal struct WalkFrame
{
    /// <summary>Its number.</summary>
    internal int Node;

    /// <summary>Where its array begins.</summary>
    internal int Start;

    /// <summary>Where the next value of it begins.</summary>
    internal int Position;

    /// <summary>Values that are left.</summary>
    internal long Left;

    /// <summary>Whether its array stands in the node around.</summary>
    internal bool IsInPlace;
}
