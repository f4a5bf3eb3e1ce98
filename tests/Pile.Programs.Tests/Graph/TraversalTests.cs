using System;
using System.Collections.Generic;
using System.Linq;
using PackageGraph.Data;
using PackageGraph.Forms;
using PackageGraph.Graphs;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class TraversalTests
{
    [Theory]
    [InlineData("shell", nameof(EdgeKinds.Depends), "shell libc editor pager")]
    [InlineData("shell", nameof(EdgeKinds.Needed), "shell libc editor pager loader vim nano nano=8")]
    [InlineData("loader", nameof(EdgeKinds.Needed), "loader")]
    [InlineData("loader", nameof(EdgeKinds.Wanted), "loader shell libc editor pager missing vim nano nano=8")]
    [InlineData("alone", nameof(EdgeKinds.Wanted), "alone")]
    public void ClosureMeetsEachNodeOnceAndGoesRoundCycles(string start, string kindsName, string expected)
    {
        EdgeKinds kinds = Enum.Parse<EdgeKinds>(kindsName);
        HeapGraph heap = SmallIndex.OnHeap();
        using PileGraph pile = SmallIndex.InPile();

        Assert.Equal(expected.Split(' '), CloseHeap(heap, start, kinds));
        Assert.Equal(expected.Split(' '), ClosePile(pile, start, kinds));
    }

    [Theory]
    [InlineData("shell", "nano", "shell editor nano")]
    [InlineData("vim", "loader", "vim libc shell loader")]
    [InlineData("shell", "shell", "shell")]
    [InlineData("alone", "shell", "")]
    public void PathIsTheShortestWay(string from, string to, string expected)
    {
        HeapGraph heap = SmallIndex.OnHeap();
        using PileGraph pile = SmallIndex.InPile();
        Assert.True(heap.TryFind(from, out Package? start) & heap.TryFind(to, out Package? end));
        Assert.True(pile.TryFind(from, out PileRef<Link[]> pileStart) & pile.TryFind(to, out PileRef<Link[]> pileEnd));

        IReadOnlyList<HeapNode> byHeap = new Traversal<HeapNode>(heap.Nodes.Length).Path(new HeapWalk(heap), new(start!), new(end!), EdgeKinds.Needed);
        using var walk = new PileWalk(pile.Objects, checkWhole: true);
        IReadOnlyList<PileRef<Link[]>> byPile = new Traversal<PileRef<Link[]>>(walk.NumbersEnd).Path(walk, pileStart, pileEnd, EdgeKinds.Needed);

        Assert.Equal(expected, string.Join(' ', byHeap.Select(node => node.Package.Name)));
        Assert.Equal(expected, string.Join(' ', byPile.Select(pile.NameOf)));
    }

    [Fact]
    public void OneTraversalServesManyWalks()
    {
        HeapGraph heap = SmallIndex.OnHeap();
        var walks = new Traversal<HeapNode>(heap.Nodes.Length);

        int[] counts = [.. Enumerable.Range(0, 5).Select(_ => walks.Close(new HeapWalk(heap), new HeapNode(heap.Nodes[0]), EdgeKinds.Needed))];

        Assert.All(counts, count => Assert.Equal(8, count));
    }

    private static string[] CloseHeap(HeapGraph graph, string start, EdgeKinds kinds)
    {
        Assert.True(graph.TryFind(start, out Package? package));
        var walks = new Traversal<HeapNode>(graph.Nodes.Length);
        walks.Close(new HeapWalk(graph), new HeapNode(package!), kinds);
        return [.. walks.Met.ToArray().Select(node => node.Package.Name)];
    }

    private static string[] ClosePile(PileGraph graph, string start, EdgeKinds kinds)
    {
        Assert.True(graph.TryFind(start, out PileRef<Link[]> package));
        var walks = new Traversal<PileRef<Link[]>>(PileWalk.EndOf(graph.Objects));
        using (var walk = new PileWalk(graph.Objects, checkWhole: true))
        {
            walks.Close(walk, package, kinds);
        }

        Assert.Equal(0, walks.Torn);
        return [.. walks.Met.ToArray().Select(graph.NameOf)];
    }
}
