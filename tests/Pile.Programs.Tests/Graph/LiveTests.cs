using System;
using PackageGraph.Forms;
using PackageGraph.Live;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class LiveTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void RewritesNeverChangeWhatAWalkMeets(bool inPile)
    {
        using PileGraph pile = SmallIndex.InPile();
        ILiveForm form = inPile ? new LivePile(pile, "shell") : new LiveHeap(SmallIndex.OnHeap(), "shell");
        var random = new Random(5);
        LiveWalk before = form.Walk();
        int rewrites = 0;

        for (int step = 0; step < 2000; step++)
        {
            rewrites += form.Rewrite(random) ? 1 : 0;
            Assert.Equal(before, form.Walk());
        }

        Assert.Equal((8, 0), (before.Nodes, before.Torn));
        Assert.InRange(rewrites, 500, 2000);
    }

    [Fact]
    public void AnUnknownRootIsNamed()
    {
        Assert.Contains("'nobody'", Assert.Throws<ArgumentException>(() => new LiveHeap(SmallIndex.OnHeap(), "nobody")).Message, StringComparison.Ordinal);
    }
}
