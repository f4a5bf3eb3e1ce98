// A value that is gone over, while its ring is not closed (GraphWalk).
// Nodes are numbered in the order in which they were met.
namespace Pile.Codecs;

/// <summary>A node of a walk.</summary>
internal struct WalkNode
{
    /// <summary>Where it begins: the array, or what announces it.</summary>
    internal int Offset;

    /// <summary>The least number of an open node that is known to be reached from it.</summary>
    internal int Low;

    /// <summary>Where it ends; 0 where it stands in no place.</summary>
    internal int End;

    /// <summary>The number of the node that it stands in, or -1 where the walk came to it by references alone.</summary>
    internal int Around;

    /// <summary>How many references had been met before it.</summary>
    internal int ReferencesBefore;

    /// <summary>Whether it, or what it leads to, was not read to the end.</summary>
    internal bool IsUnwhole;
}
