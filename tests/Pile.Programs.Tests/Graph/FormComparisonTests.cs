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
        Assert.Contains("Section", OfColumns(package => package with { Section = package.Priority }), StringComparison.Ordinal);
        Assert.Contains("Version", OfColumns(package => package with { Version = "2" }), StringComparison.Ordinal);
        Assert.Contains("Installed-Size", OfColumns(package => package with { InstalledKiB = null }), StringComparison.Ordinal);
        Assert.Contains("Package", OfLinks((pile, links) => [links[0] with { Text = pile.Put("csh").As<string>() }, .. links.Skip(1)]), StringComparison.Ordinal);
        Assert.Contains("number of edges", OfLinks((_, links) => links[..1]), StringComparison.Ordinal);
    }

    [Fact]
    public void AnEdgeToAnotherNodeIsNamed()
    {
        string difference = OfLinks((_, links) => [links[0], links[1] with { Target = links[2].Target }, .. links.Skip(2)]);

        Assert.Contains("edge 0 leads to libc@1", difference, StringComparison.Ordinal);
    }

    [Fact]
    public void OtherNumbersOfObjectsAreReported()
    {
        using PileGraph pile = SmallIndex.InPile(editions: 2);

        Assert.Throws<InvalidDataException>(() => new FormComparison(_heap, pile).Run(static _ => { }, CancellationToken.None));
    }

    private string OfColumns(Func<StoredPackage, StoredPackage> change) => Difference((pile, shell) =>
    {
        PilePointer package = pile.Get(shell)[0].Target;
        pile.Update(package, change(pile.Get<StoredPackage>(package)));
    });

    private string OfLinks(Func<ObjectPile, Link[], Link[]> change) => Difference((pile, shell) => pile.Update(shell, change(pile, pile.Get(shell))));

    private string Difference(Action<ObjectPile, PileRef<Link[]>> change)
    {
        using PileGraph pile = SmallIndex.InPile(editions: 3);
        Assert.True(pile.TryFind("shell@1", out PileRef<Link[]> shell));
        change(pile.Objects, shell);
        AggregateException faults = Assert.Throws<AggregateException>(() => new FormComparison(_heap, pile).Run(static _ => { }, CancellationToken.None));
        return Assert.IsType<InvalidDataException>(faults.InnerException).Message;
    }
}
