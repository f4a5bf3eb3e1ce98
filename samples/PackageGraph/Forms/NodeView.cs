using System;
using System.Runtime.InteropServices;
using Pile;

namespace PackageGraph.Forms;

/// <summary>A node read in place: the links as a lease shows them.</summary>
internal readonly ref struct NodeView(ReadOnlySpan<byte> leased)
{
    private readonly ReadOnlySpan<Link> _links = MemoryMarshal.Cast<byte, Link>(leased);

    internal PileRef<string> Name => _links[0].Text;

    internal ReadOnlySpan<Link> Edges => _links[1..];

    /// <summary>Whether these bytes are one version of the node: every link has the same revision.</summary>
    internal bool IsWhole
    {
        get
        {
            bool isWhole = _links.Length > 0;
            foreach (Link link in _links)
            {
                isWhole &= link.Revision == _links[0].Revision;
            }

            return isWhole;
        }
    }
}
