using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
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
        StoredPackage actual = pile.Objects.Get(pile.Nodes[id]);
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

        Same("Id", expected.Id, actual.Id);
        Same("Package", expected.Name, actual.Name);
        Same("Version", expected.Version, actual.Version);
        Same("Section", expected.Section, TextOf(actual.Section));
        Same("Priority", expected.Priority, TextOf(actual.Priority));
        Same("Maintainer", expected.Maintainer, TextOf(actual.Maintainer));
        Same("Description", expected.Description, actual.Description);
        Same("Installed-Size", expected.InstalledKiB, actual.InstalledKiB);
        Same("Size", expected.SizeBytes, actual.SizeBytes);
        Same("number of edges", expected.Edges.Length, actual.Edges.Count);
        Same("place in the index", pile.TryFind(expected.Name, out PileRef<StoredPackage> found) ? found : default, pile.Nodes[id]);
        Span<byte> utf8 = stackalloc byte[1024];
        for (int index = 0; index < expected.Edges.Length; index++)
        {
            Edge one = expected.Edges[index];
            StoredEdge other = actual.Edges[index];
            Same("an edge's mark", one.Mark, other.Mark);
            Same("an edge's bound", one.Bound, TextOf(other.Bound));
            ReadOnlySpan<byte> name = utf8[..Encoding.UTF8.GetBytes(one.Target.Name, utf8)];
            using PileLease lease = pile.Objects.Lease(other.Target);
            if (!PackageCodec.ViewOf(lease.Bytes).Name.SequenceEqual(name))
            {
                throw new InvalidDataException($"{expected.Name}: edge {index} leads to {one.Target.Name} on the heap, but not in the pile.");
            }
        }

        return expected.Edges.Length;
    }
}
