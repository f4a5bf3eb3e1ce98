namespace PackageGraph.Graphs;

/// <summary>Takes the nodes that edges lead to.</summary>
internal interface INodeSink<TNode>
    where TNode : struct
{
    void Take(TNode target);
}
