using System;
using System.Collections.Generic;
using System.Linq;

namespace PackageGraph.Data;

/// <summary>The index as a graph of numbered nodes: first the packages in the order of the file, then every name that is no
/// package (virtual or missing). Edges lead to nodes; a virtual name leads on to those that provide it.</summary>
internal sealed class Catalogue
{
    private readonly Dictionary<string, int> _byKey = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _bounds = new(StringComparer.Ordinal);
    private readonly List<string> _keys = [];
    private readonly List<string> _qualifiers = [];

    internal Catalogue(IReadOnlyList<PackageRow> rows)
    {
        Rows = rows;
        foreach (PackageRow row in rows)
        {
            // A few packages are there in two versions; edges mean the first, the others get a key as apt writes it.
            string key = _byKey.ContainsKey(row.Name) ? $"{row.Name}={row.Version}" : row.Name;
            _byKey.Add(key, _keys.Count);
            _keys.Add(key);
        }

        List<BaseEdge>[] edges = [.. rows.Select(Parse)];
        var provided = new List<BaseEdge>?[_keys.Count];
        for (int node = 0; node < edges.Length; node++)
        {
            foreach (BaseEdge edge in edges[node].Where(edge => edge.Mark.Kind == EdgeKind.Provides))
            {
                (provided[edge.Target] ??= []).Add(new BaseEdge(node, edge.Bound, new EdgeMark(EdgeKind.ProvidedBy, false, edge.Mark.Qualifier)));
            }
        }

        Edges = [.. Enumerable.Range(0, _keys.Count).Select(node => (BaseEdge[])[.. node < edges.Length ? edges[node] : [], .. provided[node] ?? []])];
        EdgeCount = Edges.Sum(list => (long)list.Length);
    }

    /// <summary>The packages.</summary>
    internal IReadOnlyList<PackageRow> Rows { get; }

    /// <summary>The name of each node.</summary>
    internal IReadOnlyList<string> Keys => _keys;

    /// <summary>The edges of each node, in the order of <see cref="EdgeKind"/>.</summary>
    internal IReadOnlyList<BaseEdge[]> Edges { get; }

    /// <summary>All of them.</summary>
    internal long EdgeCount { get; }

    /// <summary>The qualifiers that <see cref="EdgeMark.Qualifier"/> counts from 1.</summary>
    internal IReadOnlyList<string> Qualifiers => _qualifiers;

    /// <summary>Nodes: packages and other names.</summary>
    internal int Count => _keys.Count;

    /// <summary>The number of a name.</summary>
    internal bool TryFind(string key, out int node) => _byKey.TryGetValue(key, out node);

    private List<BaseEdge> Parse(PackageRow row)
    {
        List<BaseEdge> edges = [];
        for (int kind = 0; kind < row.Relations.Length; kind++)
        {
            foreach (RelationItem item in RelationText.Parse(row.Relations[kind]))
            {
                var mark = new EdgeMark((EdgeKind)kind, item.IsAlternative, QualifierOf(item.Qualifier));
                edges.Add(new BaseEdge(NodeOf(item.Name), BoundOf(item.Bound), mark));
            }
        }

        return edges;
    }

    private int NodeOf(string name)
    {
        if (!_byKey.TryGetValue(name, out int node))
        {
            node = _keys.Count;
            _byKey.Add(name, node);
            _keys.Add(name);
        }

        return node;
    }

    private string? BoundOf(string bound)
    {
        _bounds.TryAdd(bound, bound);
        return bound.Length == 0 ? null : _bounds[bound];
    }

    private int QualifierOf(string qualifier)
    {
        if (qualifier.Length == 0)
        {
            return 0;
        }

        int index = _qualifiers.IndexOf(qualifier);
        if (index < 0)
        {
            index = _qualifiers.Count;
            _qualifiers.Add(qualifier);
        }

        return index + 1;
    }
}
