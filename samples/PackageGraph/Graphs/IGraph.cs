using PackageGraph.Data;

namespace PackageGraph.Graphs;

/// <summary>What a traversal asks of a graph. Structs implement it, so that each form gets loops of its own.</summary>
/// <typeparam name="TNode">A reference to a node.</typeparam>
internal interface IGraph<TNode>
    where TNode : struct
{
    /// <summary>A number of the node, below <see cref="NumbersEnd"/>, that no other node has.</summary>
    int NumberOf(TNode node);

    /// <summary>One more than the largest number.</summary>
    int NumbersEnd { get; }

    /// <summary>Shows the sink where a node's edges of some kinds lead.</summary>
    /// <returns>False when what was read of the node does not fit together.</returns>
    bool Expand<TSink>(TNode node, EdgeKinds kinds, ref TSink sink)
        where TSink : struct, INodeSink<TNode>;
}
