using System;
using System.Runtime.InteropServices;
using PackageGraph.Data;
using PackageGraph.Forms;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class NodeViewTests
{
    private static readonly Link[] _links =
    [
        new(PilePointer.FromInt64(11), Text(12), default, 7),
        new(PilePointer.FromInt64(21), Text(31), new EdgeMark(EdgeKind.Depends, false, 0), 7),
        new(PilePointer.FromInt64(22), default, new EdgeMark(EdgeKind.ProvidedBy, true, 2), 7),
    ];

    [Fact]
    public void TheFirstLinkIsTheNodesOwnAndTheOthersAreItsEdges()
    {
        var view = new NodeView(Bytes(_links));

        Assert.Equal(Text(12), view.Name);
        Assert.Equal(_links[1..], view.Edges.ToArray());
        Assert.True(view.IsWhole);
        Assert.Equal(_links.Length * 20, Bytes(_links).Length);
    }

    [Fact]
    public void AnExchangeGivesTwoEdgesEachOthersPlaceAndAllLinksTheNextRevision()
    {
        Link[] after = Link.WithExchanged(_links, 0, 1);

        Assert.Equal([_links[0] with { Revision = 8 }, _links[2] with { Revision = 8 }, _links[1] with { Revision = 8 }], after);
        Assert.Equal(0, Link.WithExchanged([_links[0] with { Revision = ushort.MaxValue }, _links[1]], 0, 0)[0].Revision);
    }

    [Fact]
    public void BytesOfTwoVersionsDoNotCountAsWhole()
    {
        byte[] before = Bytes(_links);
        byte[] after = Bytes(Link.WithExchanged(_links, 0, 1));
        Assert.True(new NodeView(before).IsWhole && new NodeView(after).IsWhole);

        for (int cut = 1; cut < before.Length; cut++)
        {
            byte[] torn = [.. before[..cut], .. after[cut..]];
            bool isEither = torn.AsSpan().SequenceEqual(before) || torn.AsSpan().SequenceEqual(after);
            Assert.True(isEither || !new NodeView(torn).IsWhole, $"cut at {cut}");
        }

        Assert.False(new NodeView([]).IsWhole);
    }

    private static PileRef<string> Text(long bits) => PilePointer.FromInt64(bits).As<string>();

    private static byte[] Bytes(Link[] links) => MemoryMarshal.AsBytes(links.AsSpan()).ToArray();
}
