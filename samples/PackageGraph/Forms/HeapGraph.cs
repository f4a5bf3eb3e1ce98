using System;
using System.Collections.Generic;
using System.Threading;
using PackageGraph.Data;

namespace PackageGraph.Forms;

/// <summary>The graph as ordinary objects: references between them and a dictionary by name.</summary>
internal sealed class HeapGraph
{
    private readonly Dictionary<string, Package> _byName;

    private HeapGraph(int count, IReadOnlyList<string> qualifiers)
    {
        _byName = new Dictionary<string, Package>(count, StringComparer.Ordinal);
        Nodes = new Package[count];
        Qualifiers = [.. qualifiers];
    }

    /// <summary>Every node by its id.</summary>
    internal Package[] Nodes { get; }

    /// <summary>What <see cref="EdgeMark.Qualifier"/> counts from 1.</summary>
    internal string[] Qualifiers { get; }

    /// <summary>Objects on the heap that make up the nodes: themselves, their strings and edge arrays. Shared text is not counted.</summary>
    internal long ClrObjects { get; private set; }

    /// <summary>The node of a name.</summary>
    internal bool TryFind(string name, out Package? node) => _byName.TryGetValue(name, out node);

    /// <summary>Builds it.</summary>
    internal static HeapGraph Build(Catalogue catalogue, int editions, Action<double> progress, CancellationToken cancel)
    {
        var graph = new HeapGraph(catalogue.Count * editions, catalogue.Qualifiers);
        for (int edition = 0; edition < editions; edition++)
        {
            cancel.ThrowIfCancellationRequested();
            graph.Add(catalogue, edition);
            progress((edition + 1.0) / editions);
        }

        return graph;
    }

    private void Add(Catalogue catalogue, int edition)
    {
        int first = catalogue.Count * edition;
        for (int index = 0; index < catalogue.Count; index++)
        {
            string name = Editions.NameOf(catalogue.Keys[index], edition);
            Package node = index < catalogue.Rows.Count ? MakePackage(catalogue.Rows[index], first + index, name, edition) : new Package { Id = first + index, Name = name };
            ClrObjects += node.Version is null ? 2 : 4;
            Nodes[node.Id] = node;
            _byName.Add(node.Name, node);
        }

        for (int index = 0; index < catalogue.Count; index++)
        {
            BaseEdge[] edges = catalogue.Edges[index];
            if (edges.Length > 0)
            {
                Nodes[first + index].Edges = Array.ConvertAll(edges, edge => new Edge(Nodes[first + edge.Target], edge.Bound, edge.Mark));
                ClrObjects++;
            }
        }
    }

    private static Package MakePackage(PackageRow row, int id, string name, int edition) => new()
    {
        Id = id,
        Name = name,
        Version = Editions.VersionOf(row.Version, edition),
        Section = row.Section,
        Priority = row.Priority,
        Maintainer = row.Maintainer,
        Description = Editions.DescriptionOf(row.Description, edition),
        InstalledKiB = row.InstalledKiB,
        SizeBytes = row.SizeBytes,
    };
}
