using System;
using System.IO;
using System.Threading;
using PackageGraph.Data;
using PackageGraph.Forms;
using PackageGraph.Whole;
using Xunit;

namespace Pile.Programs.Tests.Graph;

public sealed class WholeTests
{
    [Fact]
    public void TheGraphOf63440PackagesComesBackFromOnePutNodeByNode()
    {
        var catalogue = new Catalogue(PackageFile.Read());
        var graph = HeapGraph.Build(catalogue, 1, static _ => { }, CancellationToken.None);

        WholeFigures figures = WholeRun.Run(graph, static _ => { }, CancellationToken.None);

        Assert.Equal(63_440, catalogue.Rows.Count);
        Assert.Equal((catalogue.Count, catalogue.EdgeCount), (figures.Nodes, figures.Edges));
        Assert.InRange(figures.Cycles.NodesOfLargest, 6_000, figures.Cycles.NodesOnCycles);
        Assert.InRange(figures.PayloadBytes, 1 << 20, 64 << 20);
    }

    [Fact]
    public void EveryDifferenceIsNamed()
    {
        Assert.Contains("shell: Version was '1.0'", Difference((graph, shell) => Replace(graph, With(shell, version: "2"))), StringComparison.Ordinal);
        Assert.Contains("shell: the bound of edge 0", Difference((_, shell) => shell.Edges[0] = shell.Edges[0] with { Bound = "(>= 9)" }), StringComparison.Ordinal);
        Assert.Contains("shell: the mark of edge 0", Difference((_, shell) => shell.Edges[0] = shell.Edges[0] with { Mark = default(EdgeMark) with { Bits = 5 } }), StringComparison.Ordinal);
        Assert.Contains("shell: number of edges", Difference((_, shell) => shell.Edges = shell.Edges[1..]), StringComparison.Ordinal);
        Assert.Contains("shell: the target of edge 0", Difference((_, shell) => shell.Edges[0] = shell.Edges[1] with { Bound = shell.Edges[0].Bound, Mark = shell.Edges[0].Mark }), StringComparison.Ordinal);
    }

    [Fact]
    public void AnEdgeToACopyOfItsTargetIsADifference()
    {
        string difference = Difference((_, shell) => shell.Edges[0] = shell.Edges[0] with { Target = With(shell.Edges[0].Target, shell.Edges[0].Target.Version) });

        Assert.Contains("shell: the target of edge 0 as one of the nodes", difference, StringComparison.Ordinal);
    }

    [Fact]
    public void ANodeThatTheIndexDoesNotLeadToIsADifference()
    {
        Assert.Contains("shell: the node of its name", Difference((graph, shell) => Replace(graph, With(shell, shell.Version))), StringComparison.Ordinal);
    }

    [Fact]
    public void CyclesAreCountedByTheNodesOnThem()
    {
        // shell, libc and loader lead to each other; editor to vim and both nanos, and they back by what they provide.
        Assert.Equal(new CycleCount(7, 7), CycleCount.Of(SmallIndex.OnHeap(editions: 1)));
        Assert.Equal(new CycleCount(21, 7), CycleCount.Of(SmallIndex.OnHeap(editions: 3)));
        HeapGraph cut = SmallIndex.OnHeap(editions: 1);
        foreach (Package package in cut.Nodes)
        {
            package.Edges = package.Name == "alone" ? [new Edge(package, null, default)] : [];
        }

        Assert.Equal(new CycleCount(1, 1), CycleCount.Of(cut));
    }

    private static string Difference(Action<HeapGraph, Package> change)
    {
        HeapGraph graph = SmallIndex.OnHeap(editions: 1);
        Assert.True(graph.TryFind("shell", out Package? shell));
        change(graph, shell!);
        return Assert.Throws<InvalidDataException>(() => WholeComparison.Run(SmallIndex.OnHeap(editions: 1), graph)).Message;
    }

    private static void Replace(HeapGraph graph, Package package) => graph.Nodes[package.Id] = package;

    private static Package With(Package package, string? version) => new()
    {
        Id = package.Id,
        Name = package.Name,
        Version = version,
        Section = package.Section,
        Priority = package.Priority,
        Maintainer = package.Maintainer,
        Description = package.Description,
        InstalledKiB = package.InstalledKiB,
        SizeBytes = package.SizeBytes,
        Edges = package.Edges,
    };
}
