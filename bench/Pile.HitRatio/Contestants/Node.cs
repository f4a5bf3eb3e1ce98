namespace Pile.HitRatio.Contestants;

/// <summary>An object, or the memory of one, in a queue of a simulator.</summary>
internal struct Node
{
    internal ulong Key;

    /// <summary>Bytes that it is counted with.</summary>
    internal long CostBytes;

    /// <summary>The queue that it is in.</summary>
    internal NodeQueue? Queue;

    /// <summary>Its neighbours there, or <see cref="NodeTable.None"/>.</summary>
    internal int Older;
    internal int Younger;

    /// <summary>Hits that the algorithm remembers of it.</summary>
    internal byte Visits;
}
