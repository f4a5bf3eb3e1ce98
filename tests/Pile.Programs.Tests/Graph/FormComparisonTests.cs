using System;
using System.IO;
using System.Linq;
using System.Threading;
using PackageGraph.Forms;
using PackageGraph.Measuring;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class FormComparisonTests
{
    private readonly HeapGraph _heap = SmallIndex.OnHeap(editions: 3);

    [Fact]
    public void BothFormsOfTheSameIndexAreEqual()
    {
        using PileGraph pile = SmallIndex.InPile(editions: 3);

        long edges = new FormComparison(_heap, pile).Run(static _ => { }, CancellationToken.None);

        Assert.Equal(3 * SmallIndex.Read().EdgeCount, edges);
    }

    [Fact]
    public void ADifferentColumnIsNamed()
    {
        Assert.Contains("Section", Difference(package => package with { Section = package.Priority }), StringComparison.Ordinal);
        Assert.Contains("Version", Difference(package => package with { Version = "2" }), StringComparison.Ordinal);
        Assert.Contains("Installed-Size", Difference(package => package with { InstalledKiB = null }), StringComparison.Ordinal);
        Assert.Contains("number of edges", Difference(package => package with { Edges = [] }), StringComparison.Ordinal);
    }

    [Fact]
    public void AnEdgeToAnotherNodeIsNamed()
    {
        string difference = Difference(package => package with { Edges = [.. package.Edges.Skip(1).Take(1).Select(edge => package.Edges[0] with { Target = edge.Target }), .. package.Edges.Skip(1)] });

        Assert.Contains("edge 0 leads to libc@1", difference, StringComparison.Ordinal);
    }

    [Fact]
    public void OtherNumbersOfObjectsAreReported()
    {
        using PileGraph pile = SmallIndex.InPile(editions: 2);

        Assert.Throws<InvalidDataException>(() => new FormComparison(_heap, pile).Run(static _ => { }, CancellationToken.None));
    }

    private string Difference(Func<StoredPackage, StoredPackage> change)
    {
        using PileGraph pile = SmallIndex.InPile(editions: 3);
        Assert.True(pile.TryFind("shell@1", out PileRef<StoredPackage> shell));
        pile.Objects.Update(shell, change(pile.Objects.Get(shell)));
        AggregateException faults = Assert.Throws<AggregateException>(() => new FormComparison(_heap, pile).Run(static _ => { }, CancellationToken.None));
        return Assert.IsType<InvalidDataException>(faults.InnerException).Message;
    }
}
