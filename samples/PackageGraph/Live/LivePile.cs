using System;
using PackageGraph.Data;
using PackageGraph.Forms;
using PackageGraph.Graphs;
using Pile;

namespace PackageGraph.Live;

/// <summary>A pile: a rewrite is an Update that reads, changes and replaces as one step; a walk reads in place, and checks of every
/// node it meets that all its links are of one revision.</summary>
internal sealed class LivePile : ILiveForm
{
    private readonly PileGraph _graph;
    private readonly Traversal<PileRef<Link[]>> _walks;
    private readonly PileRef<Link[]> _root;
    private readonly PileRef<Link[]>[] _near;

    internal LivePile(PileGraph graph, string root)
    {
        _graph = graph;
        _walks = new Traversal<PileRef<Link[]>>(PileWalk.EndOf(graph.Objects));
        _root = graph.TryFind(root, out PileRef<Link[]> package) ? package : throw new ArgumentException($"There is no package '{root}'.", nameof(root));
        using var walk = new PileWalk(graph.Objects, checkWhole: true);
        _walks.Close(walk, _root, EdgeKinds.Needed);
        _near = _walks.Met.ToArray();
    }

    public bool Rewrite(Random random)
    {
        PileRef<Link[]> package = random.Next(2) == 0 ? _near[random.Next(_near.Length)] : _graph.Nodes[random.Next(_graph.Nodes.Length)];
        int count;
        using (PileLease lease = _graph.Objects.Lease(package))
        {
            count = new NodeView(lease.Bytes).Edges.Length;
        }

        if (count < 2)
        {
            return false;
        }

        (int First, int Second) edges = (random.Next(count), random.Next(count));
        _graph.Objects.Update<Link[], (int First, int Second)>(package, edges, static (links, edges) => Link.WithExchanged(links, edges.First, edges.Second));
        return true;
    }

    public LiveWalk Walk()
    {
        using var walk = new PileWalk(_graph.Objects, checkWhole: true);
        int nodes = _walks.Close(walk, _root, EdgeKinds.Needed);
        long sum = 0;
        foreach (PileRef<Link[]> node in _walks.Met)
        {
            sum += node.Pointer.Slot;
        }

        return new LiveWalk(nodes, sum, _walks.Torn);
    }
}
