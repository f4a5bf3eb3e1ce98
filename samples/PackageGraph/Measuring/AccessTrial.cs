using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using PackageGraph.Data;
using PackageGraph.Forms;
using PackageGraph.Graphs;
using Pile;

namespace PackageGraph.Measuring;

/// <summary>Random reads, lookups and traversals over both forms, with the same choices for both and the same answers.</summary>
internal sealed class AccessTrial(HeapGraph heap, PileGraph pile, CancellationToken cancel)
{
    private const int Reads = 200_000;
    private const int Lookups = 100_000;
    private const int Walks = 40;
    private const int Seed = 11;
    private readonly Traversal<HeapNode> _heapWalks = new(heap.Nodes.Length);
    private readonly Traversal<PileRef<Link[]>> _pileWalks = new(PileWalk.EndOf(pile.Objects));

    /// <summary>Runs all of it.</summary>
    /// <param name="packages">Packages of an edition: roots of walks are taken from among them.</param>
    /// <param name="progress">From 0 to 1.</param>
    internal AccessFigures Run(int packages, Action<double> progress)
    {
        var random = new Random(Seed);
        int[] reads = [.. Enumerable.Range(0, Reads).Select(_ => random.Next(heap.Nodes.Length))];
        int[] roots = [.. Enumerable.Range(0, Walks).Select(_ => random.Next(packages))];
        int[] targets = [.. Enumerable.Range(0, Walks).Select(_ => random.Next(packages))];
        string[] names = [.. reads.Take(Lookups).Select(id => heap.Nodes[id].Name)];
        double nodes = CheckWalks(roots, targets);
        Action<double> Part(double from, double to) => done =>
        {
            cancel.ThrowIfCancellationRequested();
            progress(from + ((to - from) * done));
        };

        double[] readNs = ReadTimes(reads, Part(0, 0.3));
        double[] lookupNs = Timing.Nanoseconds(Lookups, Part(0.3, 0.5), () => FindInHeap(names), () => FindInPile(names));
        double[] pathNs = Timing.Nanoseconds(Walks, Part(0.5, 0.7), () => PathsInHeap(roots, targets), () => PathsInPile(roots, targets));
        double[] closureNs = Timing.Nanoseconds(Walks, Part(0.7, 1), () => CloseInHeap(roots), () => CloseInPile(roots));
        return new AccessFigures
        {
            HeapReadNs = readNs[0],
            PileReadNs = readNs[1],
            PileGetNs = readNs[2],
            HeapLookupNs = lookupNs[0],
            PileLookupNs = lookupNs[1],
            HeapPathUs = pathNs[0] / 1e3,
            PilePathUs = pathNs[1] / 1e3,
            HeapClosureMs = closureNs[0] / 1e6,
            PileClosureMs = closureNs[1] / 1e6,
            ClosureNodes = nodes,
        };
    }

    /// <summary>Why one package depends on another: the names on the shortest way, the same in both forms, or empty.</summary>
    internal IReadOnlyList<string> Why(string from, string to)
    {
        if (!heap.TryFind(from, out Package? start) || !heap.TryFind(to, out Package? end)
            || !pile.TryFind(from, out PileRef<Link[]> pileStart) || !pile.TryFind(to, out PileRef<Link[]> pileEnd))
        {
            return [];
        }

        string[] byHeap = [.. _heapWalks.Path(new HeapWalk(heap), new HeapNode(start!), new HeapNode(end!), EdgeKinds.Needed).Select(node => node.Package.Name)];
        using var walk = new PileWalk(pile.Objects, checkWhole: false);
        string[] byPile = [.. _pileWalks.Path(walk, pileStart, pileEnd, EdgeKinds.Needed).Select(pile.NameOf)];
        return byHeap.SequenceEqual(byPile)
            ? byHeap
            : throw new InvalidDataException($"Why {from} depends on {to}: the objects say {string.Join(" > ", byHeap)}, the pile says {string.Join(" > ", byPile)}.");
    }

    private double CheckWalks(int[] roots, int[] targets)
    {
        double nodes = 0;
        using var walk = new PileWalk(pile.Objects, checkWhole: true);
        for (int index = 0; index < roots.Length; index++)
        {
            int byHeap = _heapWalks.Close(new HeapWalk(heap), new HeapNode(heap.Nodes[roots[index]]), EdgeKinds.Wanted);
            int byPile = _pileWalks.Close(walk, pile.Nodes[roots[index]], EdgeKinds.Wanted);
            for (int met = 0; met < byHeap && byHeap == byPile; met++)
            {
                if (pile.Nodes[_heapWalks.Met[met].Package.Id] != _pileWalks.Met[met])
                {
                    throw new InvalidDataException($"The closures of {heap.Nodes[roots[index]].Name} part at node {met}.");
                }
            }

            int heapPath = _heapWalks.Path(new HeapWalk(heap), new HeapNode(heap.Nodes[roots[index]]), new HeapNode(heap.Nodes[targets[index]]), EdgeKinds.Needed).Count;
            int pilePath = _pileWalks.Path(walk, pile.Nodes[roots[index]], pile.Nodes[targets[index]], EdgeKinds.Needed).Count;
            if (byHeap != byPile || heapPath != pilePath || _pileWalks.Torn > 0)
            {
                throw new InvalidDataException($"{heap.Nodes[roots[index]].Name} leads to {byHeap} objects on the heap and to {byPile} in the pile.");
            }

            nodes += byHeap;
        }

        return nodes / roots.Length;
    }

    private double[] ReadTimes(int[] ids, Action<double> between)
    {
        // A program holds references, not numbers: the choice is made before the clock runs.
        Package[] packages = [.. ids.Select(id => heap.Nodes[id])];
        PileRef<Link[]>[] pointers = [.. ids.Select(id => pile.Nodes[id])];
        return Timing.Nanoseconds(Reads, between, () => ReadHeap(packages), () => ReadPile(pointers), () => GetPile(pointers));
    }

    private static long ReadHeap(Package[] packages)
    {
        long sum = 0;
        foreach (Package package in packages)
        {
            sum += package.Edges.Length + package.Name.Length + package.Name[0];
        }

        return sum;
    }

    private long ReadPile(PileRef<Link[]>[] packages)
    {
        long sum = 0;
        using PileReader reader = pile.Objects.BeginRead();
        foreach (PileRef<Link[]> node in packages)
        {
            var view = new NodeView(reader[node]);
            ReadOnlySpan<byte> name = reader[view.Name];
            sum += view.Edges.Length + name.Length + name[0];
        }

        return sum;
    }

    private long GetPile(PileRef<Link[]>[] packages)
    {
        long sum = 0;
        foreach (PileRef<Link[]> node in packages)
        {
            (Link[] links, string name, StoredPackage? package) = pile.Get(node);
            sum += (package?.SizeBytes ?? 0) + links.Length + name.Length + name[0];
        }

        return sum;
    }

    private long FindInHeap(string[] names) => names.Sum(name => heap.TryFind(name, out Package? package) ? package!.Id : 0L);

    private long FindInPile(string[] names) => names.Sum(name => pile.TryFind(name, out PileRef<Link[]> package) ? package.Pointer.Slot : 0L);

    private long PathsInHeap(int[] roots, int[] targets) => roots.Zip(targets).Sum(pair =>
        (long)_heapWalks.Path(new HeapWalk(heap), new HeapNode(heap.Nodes[pair.First]), new HeapNode(heap.Nodes[pair.Second]), EdgeKinds.Needed).Count);

    private long PathsInPile(int[] roots, int[] targets)
    {
        using var walk = new PileWalk(pile.Objects, checkWhole: false);
        long sum = 0;
        for (int index = 0; index < roots.Length; index++)
        {
            sum += _pileWalks.Path(walk, pile.Nodes[roots[index]], pile.Nodes[targets[index]], EdgeKinds.Needed).Count;
        }

        return sum;
    }

    private long CloseInHeap(int[] roots) =>
        roots.Sum(root => (long)_heapWalks.Close(new HeapWalk(heap), new HeapNode(heap.Nodes[root]), EdgeKinds.Wanted));

    private long CloseInPile(int[] roots)
    {
        using var walk = new PileWalk(pile.Objects, checkWhole: false);
        long sum = 0;
        foreach (int root in roots)
        {
            sum += _pileWalks.Close(walk, pile.Nodes[root], EdgeKinds.Wanted);
        }

        return sum;
    }
}
