using System;
using PackageGraph.Data;
using PackageGraph.Forms;
using Pile;

namespace PackageGraph.Graphs;

/// <summary>A pile, for traversals: edges are read in place, and a pointer's slot is the node's number, so that an edge to a node
/// that was met already costs no look at it.</summary>
internal readonly ref struct PileWalk(ObjectPile pile, bool checkWhole) : IGraph<PileRef<StoredPackage>>, IDisposable
{
    private readonly PileReader _reader = pile.BeginRead();

    public int NumbersEnd => EndOf(pile);

    /// <summary>One more than the largest slot of a pile.</summary>
    internal static int EndOf(ObjectPile pile) => checked((int)pile.GetStatistics().SlotsIssued + 1);

    public int NumberOf(PileRef<StoredPackage> node) => (int)node.Pointer.Slot;

    public bool Expand<TSink>(PileRef<StoredPackage> node, EdgeKinds kinds, ref TSink sink)
        where TSink : struct, INodeSink<PileRef<StoredPackage>>
    {
        PackageCodec.View view = PackageCodec.ViewOf(_reader[node]);
        ReadOnlySpan<EdgeMark> marks = view.Marks;
        ReadOnlySpan<PilePointer> targets = view.Targets;
        for (int index = 0; index < targets.Length; index++)
        {
            if (marks[index].IsIn(kinds))
            {
                sink.Take(targets[index].As<StoredPackage>());
            }
        }

        return !checkWhole || view.IsWhole;
    }

    public void Dispose() => _reader.Dispose();
}
