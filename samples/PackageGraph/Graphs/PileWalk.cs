using System;
using PackageGraph.Data;
using PackageGraph.Forms;
using Pile;

namespace PackageGraph.Graphs;

/// <summary>A pile, for traversals: edges are read in place, and a pointer's slot is the node's number, so that an edge to a node
/// that was met already costs no look at it.</summary>
internal readonly ref struct PileWalk(ObjectPile pile, bool checkWhole) : IGraph<PileRef<Link[]>>, IDisposable
{
    private readonly PileReader _reader = pile.BeginRead();

    public int NumbersEnd => EndOf(pile);

    /// <summary>One more than the largest slot of a pile.</summary>
    internal static int EndOf(ObjectPile pile) => checked((int)pile.GetStatistics().SlotsIssued + 1);

    public int NumberOf(PileRef<Link[]> node) => (int)node.Pointer.Slot;

    public bool Expand<TSink>(PileRef<Link[]> node, EdgeKinds kinds, ref TSink sink)
        where TSink : struct, INodeSink<PileRef<Link[]>>
    {
        var view = new NodeView(_reader[node]);
        foreach (ref readonly Link edge in view.Edges)
        {
            if (edge.Mark.IsIn(kinds))
            {
                sink.Take(edge.Target.As<Link[]>());
            }
        }

        return !checkWhole || view.IsWhole;
    }

    public void Dispose() => _reader.Dispose();
}
