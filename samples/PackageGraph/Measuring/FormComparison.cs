using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using PackageGraph.Forms;
using Pile;

namespace PackageGraph.Measuring;

/// <summary>Compares both forms item by item: every column of every package, every edge with its bound and mark, and by name
/// where it leads. The first difference ends the run.</summary>
internal sealed class FormComparison(HeapGraph heap, PileGraph pile)
{
    private const int PartNodes = 10_000;

    /// <summary>Compares everything.</summary>
    /// <returns>Edges compared.</returns>
    /// <exception cref="InvalidDataException">They differ; the message names the package and the column.</exception>
    internal long Run(Action<double> progress, CancellationToken cancel)
    {
        if (heap.Nodes.Length != pile.Nodes.Length || !heap.Qualifiers.SequenceEqual(pile.Qualifiers))
        {
            throw new InvalidDataException($"{heap.Nodes.Length} objects on the heap, {pile.Nodes.Length} in the pile.");
        }

        long edges = 0;
        int done = 0;
        int parts = (heap.Nodes.Length + PartNodes - 1) / PartNodes;
        var options = new ParallelOptions { CancellationToken = cancel, MaxDegreeOfParallelism = Environment.ProcessorCount };
        Parallel.For(0, parts, options, part =>
        {
            Dictionary<PileRef<string>, string> texts = [];
            long partEdges = 0;
            for (int id = part * PartNodes; id < int.Min((part + 1) * PartNodes, heap.Nodes.Length); id++)
            {
                partEdges += CompareNode(heap.Nodes[id], id, texts);
            }

            Interlocked.Add(ref edges, partEdges);
            progress((double)Interlocked.Increment(ref done) / parts);
        });
        return edges;
    }

    private int CompareNode(Package expected, int id, Dictionary<PileRef<string>, string> texts)
    {
        (Link[] links, string name, StoredPackage? package) = pile.Get(pile.Nodes[id]);
        ReadOnlySpan<Link> edges = links.AsSpan(1);
        string? TextOf(PileRef<string> reference)
        {
            if (reference.IsNull)
            {
                return null;
            }

            if (!texts.TryGetValue(reference, out string? text))
            {
                text = pile.Objects.Get(reference);
                texts.Add(reference, text);
            }

            return text;
        }

        void Same<T>(string column, T one, T other)
        {
            if (!EqualityComparer<T>.Default.Equals(one, other))
            {
                throw new InvalidDataException($"{expected.Name}: {column} is '{one}' on the heap and '{other}' in the pile.");
            }
        }

        Same("Package", expected.Name, name);
        Same("Version", expected.Version, package?.Version);
        Same("Section", expected.Section, TextOf(package?.Section ?? default));
        Same("Priority", expected.Priority, TextOf(package?.Priority ?? default));
        Same("Maintainer", expected.Maintainer, TextOf(package?.Maintainer ?? default));
        Same("Description", expected.Description, package?.Description);
        Same("Installed-Size", expected.InstalledKiB, package?.InstalledKiB);
        Same("Size", expected.SizeBytes, package?.SizeBytes ?? 0);
        Same("number of edges", expected.Edges.Length, edges.Length);
        Same("place in the index", pile.TryFind(expected.Name, out PileRef<Link[]> found) ? found : default, pile.Nodes[id]);
        for (int index = 0; index < expected.Edges.Length; index++)
        {
            Edge one = expected.Edges[index];
            Link other = edges[index];
            Same("an edge's mark", one.Mark, other.Mark);
            Same("an edge's bound", one.Bound, TextOf(other.Text));
            if (pile.NameOf(other.Target.As<Link[]>()) != one.Target.Name)
            {
                throw new InvalidDataException($"{expected.Name}: edge {index} leads to {one.Target.Name} on the heap, but not in the pile.");
            }
        }

        return expected.Edges.Length;
    }
}
