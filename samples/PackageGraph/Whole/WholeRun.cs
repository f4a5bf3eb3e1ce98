using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using PackageGraph.Data;
using PackageGraph.Forms;
using PackageGraph.Reporting;
using Pile;

namespace PackageGraph.Whole;

/// <summary>The whole dependency graph with all its cycles as one object: the dictionary, the nodes, everything that they reach, put by
/// one call, got back by one call, and compared. Nothing in its classes knows of the pile.</summary>
internal static class WholeRun
{
    private const int Rounds = 5;

    /// <summary>Reads the index and does all of it.</summary>
    internal static WholeFigures Run(ConsoleFace face, CancellationToken cancel)
    {
        HeapGraph graph = face.Run("reading the package index", progress => HeapGraph.Build(new Catalogue(PackageFile.Read()), 1, progress, cancel));
        return face.Run("put, got back, compared", progress => Run(graph, progress, cancel));
    }

    /// <summary>Puts a graph, gets it back and compares it, several times.</summary>
    /// <exception cref="InvalidDataException">What came back differs.</exception>
    internal static WholeFigures Run(HeapGraph graph, Action<double> progress, CancellationToken cancel)
    {
        double[] putMs = new double[Rounds];
        double[] getMs = new double[Rounds];
        CycleCount cycles = CycleCount.Of(graph);
        long edges = 0;
        int payloadBytes = 0;
        using ObjectPile pile = ObjectPile.Create();
        for (int round = 0; round < Rounds; round++)
        {
            cancel.ThrowIfCancellationRequested();
            long start = Stopwatch.GetTimestamp();
            PilePointer pointer = pile.Put(graph);
            putMs[round] = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
            start = Stopwatch.GetTimestamp();
            HeapGraph back = pile.Get<HeapGraph>(pointer);
            getMs[round] = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
            edges = WholeComparison.Run(graph, back);
            CycleCount cyclesBack = CycleCount.Of(back);
            if (cyclesBack != cycles)
            {
                throw new InvalidDataException($"The cycles were {cycles} and came back as {cyclesBack}.");
            }

            using (PileLease lease = pile.Lease(pointer))
            {
                payloadBytes = lease.Length;
            }

            pile.Delete(pointer);
            progress((round + 1.0) / Rounds);
        }

        return new WholeFigures(graph.Nodes.Length, edges, cycles, payloadBytes, putMs.Order().ElementAt(Rounds / 2), getMs.Order().ElementAt(Rounds / 2));
    }
}
