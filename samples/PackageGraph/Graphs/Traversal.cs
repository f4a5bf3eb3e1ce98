using System;
using System.Collections.Generic;
using PackageGraph.Data;

namespace PackageGraph.Graphs;

/// <summary>Breadth-first walks: everything that a node leads to, and the shortest way from one node to another. Cycles are
/// fine: a node is entered once. Not thread-safe; made once and used for many walks.</summary>
/// <typeparam name="TNode">A reference to a node.</typeparam>
internal sealed class Traversal<TNode>(int numbersEnd)
    where TNode : struct
{
    /// <summary>The walk that met a node last, by the node's number.</summary>
    private readonly int[] _met = new int[numbersEnd];
    private TNode[] _queue = new TNode[1024];
    private int[] _from = new int[1024];
    private TNode[] _targets = new TNode[64];
    private int _walk;

    /// <summary>Nodes met by the last walk, in the order they were met.</summary>
    internal ReadOnlySpan<TNode> Met => _queue.AsSpan(0, MetCount);

    /// <summary>How many that are.</summary>
    internal int MetCount { get; private set; }

    /// <summary>Nodes of the last walk whose bytes did not fit together.</summary>
    internal int Torn { get; private set; }

    /// <summary>Walks from a node along some kinds of edges to everything there is.</summary>
    /// <returns>Nodes met, the first included.</returns>
    internal int Close<TGraph>(TGraph graph, TNode start, EdgeKinds kinds)
        where TGraph : struct, IGraph<TNode>, allows ref struct =>
        Walk(graph, start, -1, kinds, out _);

    /// <summary>The shortest way from a node to another: both and what lies between, or empty when there is none.</summary>
    internal IReadOnlyList<TNode> Path<TGraph>(TGraph graph, TNode start, TNode target, EdgeKinds kinds)
        where TGraph : struct, IGraph<TNode>, allows ref struct
    {
        Walk(graph, start, graph.NumberOf(target), kinds, out int found);
        List<TNode> path = [];
        for (int index = found; index >= 0; index = _from[index])
        {
            path.Add(_queue[index]);
        }

        path.Reverse();
        return path;
    }

    /// <summary>Walks until the node of a number is met, if it ever is; its place in the queue, or -1.</summary>
    private int Walk<TGraph>(TGraph graph, TNode start, int targetNumber, EdgeKinds kinds, out int found)
        where TGraph : struct, IGraph<TNode>, allows ref struct
    {
        _walk++;
        Torn = 0;
        MetCount = 0;
        found = -1;
        Enter(start, graph.NumberOf(start), from: -1);
        for (int index = 0; index < MetCount; index++)
        {
            if (graph.NumberOf(_queue[index]) == targetNumber)
            {
                found = index;
                break;
            }

            var targets = new Targets { Nodes = _targets };
            bool isWhole = graph.Expand(_queue[index], kinds, ref targets);
            _targets = targets.Nodes;
            Torn += isWhole ? 0 : 1;
            for (int target = 0; target < targets.Count; target++)
            {
                Enter(_targets[target], graph.NumberOf(_targets[target]), index);
            }
        }

        return MetCount;
    }

    private void Enter(TNode node, int number, int from)
    {
        if (_met[number] == _walk)
        {
            return;
        }

        _met[number] = _walk;
        if (MetCount == _queue.Length)
        {
            Array.Resize(ref _queue, _queue.Length * 2);
            Array.Resize(ref _from, _from.Length * 2);
        }

        _queue[MetCount] = node;
        _from[MetCount] = from;
        MetCount++;
    }

    private struct Targets : INodeSink<TNode>
    {
        internal TNode[] Nodes;
        internal int Count;

        public void Take(TNode target)
        {
            if (Count == Nodes.Length)
            {
                Array.Resize(ref Nodes, Nodes.Length * 2);
            }

            Nodes[Count++] = target;
        }
    }
}
