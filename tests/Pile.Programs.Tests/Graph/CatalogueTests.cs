using System.Linq;
using PackageGraph.Data;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class CatalogueTests
{
    private readonly Catalogue _catalogue = SmallIndex.Read();

    [Fact]
    public void NodesArePackagesAndThenTheNamesThatAreNone()
    {
        Assert.Equal(SmallIndex.Nodes, _catalogue.Count);
        Assert.Equal(["shell", "libc", "loader", "vim", "nano", "nano=8", "alone", "editor", "pager", "missing"], _catalogue.Keys);
    }

    [Fact]
    public void EdgesKeepColumnBoundAlternativeAndQualifier()
    {
        BaseEdge[] edges = _catalogue.Edges[0];

        Assert.Equal(["libc", "editor", "pager", "loader"], edges.Select(edge => _catalogue.Keys[edge.Target]));
        Assert.Equal(["(>= 2.3)", null, "(<< 9)", null], edges.Select(edge => edge.Bound));
        Assert.Equal([false, false, true, false], edges.Select(edge => edge.Mark.IsAlternative));
        Assert.Equal([EdgeKind.Depends, EdgeKind.Depends, EdgeKind.Depends, EdgeKind.PreDepends], edges.Select(edge => edge.Mark.Kind));
        Assert.Equal([":any"], _catalogue.Qualifiers);
        Assert.Equal([0, 0, 1, 0], edges.Select(edge => edge.Mark.Qualifier));
    }

    [Fact]
    public void AVirtualNameLeadsToThoseThatProvideIt()
    {
        Assert.True(_catalogue.TryFind("editor", out int editor));

        Assert.Equal(["vim", "nano", "nano=8"], _catalogue.Edges[editor].Select(edge => _catalogue.Keys[edge.Target]));
        Assert.All(_catalogue.Edges[editor], edge => Assert.Equal(EdgeKind.ProvidedBy, edge.Mark.Kind));
    }

    [Fact]
    public void EveryRelationOfTheFileIsAnEdge()
    {
        var whole = new Catalogue(PackageFile.Read());

        long relations = whole.Rows.Sum(row => row.Relations.Sum(text => (long)RelationText.Parse(text).Count));
        long provided = whole.Rows.Sum(row => (long)RelationText.Parse(row.Relations[(int)EdgeKind.Provides]).Count);
        Assert.Equal(relations + provided, whole.EdgeCount);
    }
}
