using System.Collections.Generic;
using System.IO;
using System.Linq;
using PackageGraph.Forms;

namespace PackageGraph.Whole;

/// <summary>Compares a graph of ordinary objects with the one that came back, node by node: every column, every edge with its bound and
/// mark, and that each edge and each name leads to the very node that stands in that place. The first difference ends the run.</summary>
internal static class WholeComparison
{
    /// <summary>Compares everything.</summary>
    /// <returns>Edges compared.</returns>
    /// <exception cref="InvalidDataException">They differ; the message names the node and what differs.</exception>
    internal static long Run(HeapGraph expected, HeapGraph actual)
    {
        if (expected.Nodes.Length != actual.Nodes.Length || expected.ClrObjects != actual.ClrObjects || !expected.Qualifiers.SequenceEqual(actual.Qualifiers))
        {
            throw new InvalidDataException($"{expected.Nodes.Length} nodes went in, {actual.Nodes.Length} came back, or their qualifiers differ.");
        }

        long edges = 0;
        for (int id = 0; id < expected.Nodes.Length; id++)
        {
            Compare(expected.Nodes[id], actual.Nodes[id], actual);
            edges += expected.Nodes[id].Edges.Length;
        }

        return edges;
    }

    private static void Compare(Package expected, Package actual, HeapGraph graph)
    {
        void Same<T>(string what, T one, T other)
        {
            if (!EqualityComparer<T>.Default.Equals(one, other))
            {
                throw new InvalidDataException($"{expected.Name}: {what} was '{one}' and came back as '{other}'.");
            }
        }

        Same("a node of its own", false, ReferenceEquals(expected, actual));
        Same("Id", expected.Id, actual.Id);
        Same("Package", expected.Name, actual.Name);
        Same("Version", expected.Version, actual.Version);
        Same("Section", expected.Section, actual.Section);
        Same("Priority", expected.Priority, actual.Priority);
        Same("Maintainer", expected.Maintainer, actual.Maintainer);
        Same("Description", expected.Description, actual.Description);
        Same("Installed-Size", expected.InstalledKiB, actual.InstalledKiB);
        Same("Size", expected.SizeBytes, actual.SizeBytes);
        Same("number of edges", expected.Edges.Length, actual.Edges.Length);
        Same("the node of its name", true, graph.TryFind(expected.Name, out Package? found) && ReferenceEquals(found, actual));
        for (int index = 0; index < expected.Edges.Length; index++)
        {
            Edge one = expected.Edges[index];
            Edge other = actual.Edges[index];
            Same($"the mark of edge {index}", one.Mark, other.Mark);
            Same($"the bound of edge {index}", one.Bound, other.Bound);
            Same($"the target of edge {index} as one of the nodes", true, ReferenceEquals(other.Target, graph.Nodes[one.Target.Id]));
        }
    }
}
