using System;
using PackageGraph.Data;
using PackageGraph.Forms;
using PackageGraph.Graphs;

namespace PackageGraph.Live;

/// <summary>Ordinary objects: a rewrite makes a new array and puts it in the place of the old one.</summary>
internal sealed class LiveHeap : ILiveForm
{
    private readonly HeapGraph _graph;
    private readonly Traversal<HeapNode> _walks;
    private readonly HeapNode _root;
    private readonly int[] _near;

    internal LiveHeap(HeapGraph graph, string root)
    {
        _graph = graph;
        _walks = new Traversal<HeapNode>(graph.Nodes.Length);
        _root = graph.TryFind(root, out Package? package) ? new HeapNode(package!) : throw new ArgumentException($"There is no package '{root}'.", nameof(root));
        _walks.Close(new HeapWalk(graph), _root, EdgeKinds.Needed);
        _near = Array.ConvertAll(_walks.Met.ToArray(), node => node.Package.Id);
    }

    public bool Rewrite(Random random)
    {
        // Every other rewrite hits what is being walked.
        Package package = _graph.Nodes[random.Next(2) == 0 ? _near[random.Next(_near.Length)] : random.Next(_graph.Nodes.Length)];
        if (package.Edges.Length < 2)
        {
            return false;
        }

        int first = random.Next(package.Edges.Length);
        int second = random.Next(package.Edges.Length);
        Edge[] edges = [.. package.Edges];
        (edges[first], edges[second]) = (edges[second], edges[first]);
        package.Edges = edges;
        return true;
    }

    public LiveWalk Walk()
    {
        int nodes = _walks.Close(new HeapWalk(_graph), _root, EdgeKinds.Needed);
        long sum = 0;
        foreach (HeapNode node in _walks.Met)
        {
            sum += node.Package.Id;
        }

        return new LiveWalk(nodes, sum, _walks.Torn);
    }
}
