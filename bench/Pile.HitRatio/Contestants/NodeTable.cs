using System;
using System.Collections.Generic;

namespace Pile.HitRatio.Contestants;

/// <summary>The objects of a simulator by key. They stand in one array, so that millions of them cost the collector nothing.</summary>
internal sealed class NodeTable
{
    internal const int None = -1;
    private const int NodesMin = 64;
    private readonly Dictionary<ulong, int> _index = [];
    private Node[] _nodes = new Node[NodesMin];
    private int _used;
    private int _free = None;

    internal ref Node this[int node] => ref _nodes[node];

    /// <summary>Finds a key; <see cref="None"/> when it is not there.</summary>
    internal int Find(ulong key) => _index.TryGetValue(key, out int node) ? node : None;

    /// <summary>Adds a key that is not there, in no queue yet.</summary>
    internal int Add(ulong key, long costBytes)
    {
        int node = _free;
        if (node != None)
        {
            _free = _nodes[node].Older;
        }
        else
        {
            if (_used == _nodes.Length)
            {
                Array.Resize(ref _nodes, _nodes.Length * 2);
            }

            node = _used++;
        }

        _nodes[node] = new Node { Key = key, CostBytes = costBytes, Older = None, Younger = None };
        _index.Add(key, node);
        return node;
    }

    /// <summary>Takes an object out of its queue and forgets it.</summary>
    internal void Drop(int node)
    {
        _nodes[node].Queue!.Remove(node);
        _ = _index.Remove(_nodes[node].Key);
        _nodes[node].Older = _free;
        _free = node;
    }
}
