using System.Runtime.InteropServices;
using PackageGraph.Data;
using Pile;

namespace PackageGraph.Forms;

/// <summary>One of the links of a node in a pile. They are an array of unmanaged values, so that it is stored as it stands and is
/// read in place. The first leads to what the node itself has, each other one is an edge.</summary>
/// <param name="Target">Of the first: the <see cref="StoredPackage"/>, or null where the name is no package. Of an edge: the node it
/// leads to.</param>
/// <param name="Text">Of the first: the node's name. Of an edge: its version bound, or null.</param>
/// <param name="Mark">The rest of an edge.</param>
/// <param name="Revision">How often the node was rewritten, modulo 65,536; the same in each of its links.</param>
[StructLayout(LayoutKind.Sequential, Pack = sizeof(ushort))]
internal readonly record struct Link(PilePointer Target, PileRef<string> Text, EdgeMark Mark, ushort Revision)
{
    /// <summary>The links of a node with two of its edges in each other's place, at the next revision.</summary>
    internal static Link[] WithExchanged(Link[] links, int first, int second)
    {
        var after = new Link[links.Length];
        for (int index = 0; index < links.Length; index++)
        {
            after[index] = links[index] with { Revision = (ushort)(links[index].Revision + 1) };
        }

        (after[1 + first], after[1 + second]) = (after[1 + second], after[1 + first]);
        return after;
    }
}
