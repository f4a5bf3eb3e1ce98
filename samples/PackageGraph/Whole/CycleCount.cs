using System;
using System.Collections.Generic;
using PackageGraph.Forms;

namespace PackageGraph.Whole;

/// <summary>The cycles of a graph: its strongly connected parts of more than one node, and nodes that lead to themselves (Tarjan 1972,
/// with a stack of its own).</summary>
/// <param name="NodesOnCycles">Nodes of all such parts.</param>
/// <param name="NodesOfLargest">Nodes of the largest part.</param>
internal readonly record struct CycleCount(int NodesOnCycles, int NodesOfLargest)
{
    /// <summary>Counts those of a graph, along all kinds of edges.</summary>
    internal static CycleCount Of(HeapGraph graph)
    {
        int[] met = new int[graph.Nodes.Length];
        int[] lowest = new int[graph.Nodes.Length];
        bool[] isOpen = new bool[graph.Nodes.Length];
        Stack<Package> open = new();
        Stack<(Package Node, int Edge)> path = new();
        CycleCount count = default;
        int order = 0;
        foreach (Package root in graph.Nodes)
        {
            if (met[root.Id] == 0)
            {
                Enter(root);
            }

            while (path.TryPop(out (Package Node, int Edge) at))
            {
                int id = at.Node.Id;
                if (at.Edge < at.Node.Edges.Length)
                {
                    path.Push((at.Node, at.Edge + 1));
                    Package target = at.Node.Edges[at.Edge].Target;
                    if (met[target.Id] == 0)
                    {
                        Enter(target);
                    }
                    else if (isOpen[target.Id])
                    {
                        lowest[id] = int.Min(lowest[id], met[target.Id]);
                    }

                    continue;
                }

                if (path.TryPeek(out (Package Node, int Edge) above))
                {
                    lowest[above.Node.Id] = int.Min(lowest[above.Node.Id], lowest[id]);
                }

                if (lowest[id] == met[id])
                {
                    count = count.With(Close(at.Node));
                }
            }
        }

        return count;

        void Enter(Package node)
        {
            met[node.Id] = lowest[node.Id] = ++order;
            isOpen[node.Id] = true;
            open.Push(node);
            path.Push((node, 0));
        }

        int Close(Package first)
        {
            int nodes = 0;
            Package node;
            do
            {
                node = open.Pop();
                isOpen[node.Id] = false;
                nodes++;
            }
            while (node != first);
            return nodes > 1 || Array.Exists(first.Edges, edge => edge.Target == first) ? nodes : 0;
        }
    }

    private CycleCount With(int nodes) => new(NodesOnCycles + nodes, int.Max(NodesOfLargest, nodes));
}
