using System;
using System.Collections.Generic;
using System.Threading;
using PackageGraph.Data;
using Pile;

namespace PackageGraph.Forms;

/// <summary>The graph in a pile: PileRefs between the packages and an index of pointers by name.</summary>
internal sealed class PileGraph : IDisposable
{
    private readonly NameIndex _index;

    private PileGraph(int count, IReadOnlyList<string> qualifiers)
    {
        Objects = ObjectPile.Create(new PileOptions { Codecs = new PileCodecs().Add(PackageCodec.Id, new PackageCodec()) });
        _index = new NameIndex(Objects, count);
        Nodes = new PileRef<StoredPackage>[count];
        Qualifiers = [.. qualifiers];
    }

    /// <summary>The pile.</summary>
    internal ObjectPile Objects { get; }

    /// <summary>Every node by its id.</summary>
    internal PileRef<StoredPackage>[] Nodes { get; }

    /// <summary>What <see cref="EdgeMark.Qualifier"/> counts from 1.</summary>
    internal string[] Qualifiers { get; }

    /// <summary>The node of a name.</summary>
    internal bool TryFind(string name, out PileRef<StoredPackage> node) => _index.TryFind(name, out node);

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

        // The graph has cycles: every package needs a pointer before the first edge to it can be written.
        int first = catalogue.Count * edition;
        for (int index = 0; index < catalogue.Count; index++)
        {
            Nodes[first + index] = Objects.PutBytes(default).As<StoredPackage>();
        }

        for (int index = 0; index < catalogue.Count; index++)
        {
            string name = Editions.NameOf(catalogue.Keys[index], edition);
            BaseEdge[] edges = catalogue.Edges[index];
            var stored = new StoredEdge[edges.Length];
            for (int edge = 0; edge < edges.Length; edge++)
            {
                stored[edge] = new StoredEdge(Nodes[first + edges[edge].Target], Share(edges[edge].Bound), edges[edge].Mark);
            }

            var package = new StoredPackage { Id = first + index, Name = name, Edges = stored };
            if (index < catalogue.Rows.Count)
            {
                PackageRow row = catalogue.Rows[index];
                package = package with
                {
                    Version = Editions.VersionOf(row.Version, edition),
                    Section = Share(row.Section),
                    Priority = Share(row.Priority),
                    Maintainer = Share(row.Maintainer),
                    Description = Editions.DescriptionOf(row.Description, edition),
                    InstalledKiB = row.InstalledKiB,
                    SizeBytes = row.SizeBytes,
                };
            }

            Objects.Update(Nodes[first + index], package);
            _index.Add(name, Nodes[first + index]);
        }
    }
}
