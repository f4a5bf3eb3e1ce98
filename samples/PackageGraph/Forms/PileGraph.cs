using System;
using System.Collections.Generic;
using System.Threading;
using PackageGraph.Data;
using Pile;

namespace PackageGraph.Forms;

/// <summary>The graph in a pile: each node an array of links, with pointers to its name, its columns and the nodes that its edges
/// lead to; and an index of pointers by name.</summary>
internal sealed class PileGraph : IDisposable
{
    private readonly NameIndex _index;

    private PileGraph(int count, IReadOnlyList<string> qualifiers)
    {
        Objects = ObjectPile.Create();
        _index = new NameIndex(Objects, count);
        Nodes = new PileRef<Link[]>[count];
        Qualifiers = [.. qualifiers];
    }

    /// <summary>The pile.</summary>
    internal ObjectPile Objects { get; }

    /// <summary>Every node by its id.</summary>
    internal PileRef<Link[]>[] Nodes { get; }

    /// <summary>What <see cref="EdgeMark.Qualifier"/> counts from 1.</summary>
    internal string[] Qualifiers { get; }

    /// <summary>The node of a name.</summary>
    internal bool TryFind(string name, out PileRef<Link[]> node) => _index.TryFind(name, out node);

    /// <summary>A node as objects: its links, its name, and its columns if it is a package.</summary>
    internal (Link[] Links, string Name, StoredPackage? Package) Get(PileRef<Link[]> node)
    {
        Link[] links = Objects.Get(node);
        return (links, Objects.Get(links[0].Text), links[0].Target.IsNull ? null : Objects.Get<StoredPackage>(links[0].Target));
    }

    /// <summary>The name of a node.</summary>
    internal string NameOf(PileRef<Link[]> node)
    {
        using PileLease lease = Objects.Lease(node);
        return Objects.Get(new NodeView(lease.Bytes).Name);
    }

    /// <summary>Builds it.</summary>
    /// <exception cref="PileFullException">The pile's limit is too small for it.</exception>
    internal static PileGraph Build(Catalogue catalogue, int editions, Action<double> progress, CancellationToken cancel)
    {
        var graph = new PileGraph(catalogue.Count * editions, catalogue.Qualifiers);
        try
        {
            // Text that many packages share is put once.
            Dictionary<string, PileRef<string>> shared = new(StringComparer.Ordinal);
            for (int edition = 0; edition < editions; edition++)
            {
                cancel.ThrowIfCancellationRequested();
                graph.Add(catalogue, edition, shared);
                progress((edition + 1.0) / editions);
            }

            return graph;
        }
        catch
        {
            graph.Dispose();
            throw;
        }
    }

    public void Dispose() => Objects.Dispose();

    private void Add(Catalogue catalogue, int edition, Dictionary<string, PileRef<string>> shared)
    {
        PileRef<string> Share(string? text)
        {
            if (text is null)
            {
                return default;
            }

            if (!shared.TryGetValue(text, out PileRef<string> found))
            {
                found = Objects.Put(text).As<string>();
                shared.Add(text, found);
            }

            return found;
        }

        // The graph has cycles: every node needs a pointer before the first edge to it can be written.
        int first = catalogue.Count * edition;
        for (int index = 0; index < catalogue.Count; index++)
        {
            Nodes[first + index] = Objects.Put(Array.Empty<Link>()).As<Link[]>();
        }

        for (int index = 0; index < catalogue.Count; index++)
        {
            PilePointer package = default;
            if (index < catalogue.Rows.Count)
            {
                PackageRow row = catalogue.Rows[index];
                package = Objects.Put(new StoredPackage
                {
                    Version = Editions.VersionOf(row.Version, edition),
                    Section = Share(row.Section),
                    Priority = Share(row.Priority),
                    Maintainer = Share(row.Maintainer),
                    Description = Editions.DescriptionOf(row.Description, edition),
                    InstalledKiB = row.InstalledKiB,
                    SizeBytes = row.SizeBytes,
                });
            }

            string name = Editions.NameOf(catalogue.Keys[index], edition);
            BaseEdge[] edges = catalogue.Edges[index];
            var links = new Link[1 + edges.Length];
            links[0] = new Link(package, Objects.Put(name).As<string>(), default, 0);
            for (int edge = 0; edge < edges.Length; edge++)
            {
                links[1 + edge] = new Link(Nodes[first + edges[edge].Target], Share(edges[edge].Bound), edges[edge].Mark, 0);
            }

            Objects.Update(Nodes[first + index], links);
            _index.Add(name, Nodes[first + index]);
        }
    }
}
