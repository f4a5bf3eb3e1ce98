using PackageGraph.Data;
using PackageGraph.Forms;

namespace PackageGraph.Graphs;

/// <summary>Ordinary objects, for traversals. An array of edges is never changed, so one read of the reference sees it whole.</summary>
internal readonly struct HeapWalk(HeapGraph graph) : IGraph<HeapNode>
{
    public int NumbersEnd => graph.Nodes.Length;

    public int NumberOf(HeapNode node) => node.Package.Id;

    public bool Expand<TSink>(HeapNode node, EdgeKinds kinds, ref TSink sink)
        where TSink : struct, INodeSink<HeapNode>
    {
        foreach (Edge edge in node.Package.Edges)
        {
            if (edge.Mark.IsIn(kinds))
            {
                sink.Take(new HeapNode(edge.Target));
            }
        }

        return true;
    }
}
