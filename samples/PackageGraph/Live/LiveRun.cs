using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using PackageGraph.Measuring;

namespace PackageGraph.Live;

/// <summary>One thread rewrites edges as fast as it can, another walks all the time, a third measures pauses.</summary>
internal static class LiveRun
{
    private const int Seed = 13;

    internal static LiveFigures Run(ILiveForm form, double seconds, Action<double> progress, CancellationToken cancel)
    {
        LiveWalk expected = form.Walk();
        bool stop = false;
        long rewrites = 0;
        Exception? failure = null;
        var writer = new Thread(() =>
        {
            try
            {
                var random = new Random(Seed);
                while (!Volatile.Read(ref stop))
                {
                    rewrites += form.Rewrite(random) ? 1 : 0;
                }
            }
#pragma warning disable CA1031 // whatever ends the writer is shown by the thread that waits for it
            catch (Exception exception)
            {
                failure = exception;
            }
#pragma warning restore CA1031
        })
        { IsBackground = true, Name = "rewriter" };
        var meter = new PauseMeter(seconds);
        writer.Start();
        List<double> walks = [];
        double[] parts = new double[PauseMeter.Parts];
        long torn = 0;
        long wrong = 0;
        long start = Stopwatch.GetTimestamp();
        double done = 0;
        while (done < 1 && !cancel.IsCancellationRequested)
        {
            long before = Stopwatch.GetTimestamp();
            LiveWalk walk = form.Walk();
            double walkMs = Stopwatch.GetElapsedTime(before).TotalMilliseconds;
            walks.Add(walkMs);
            torn += walk.Torn;
            wrong += walk.Nodes == expected.Nodes && walk.Sum == expected.Sum ? 0 : 1;
            int firstPart = int.Min((int)(done * parts.Length), parts.Length - 1);
            done = Stopwatch.GetElapsedTime(start).TotalSeconds / seconds;
            for (int part = firstPart; part <= int.Min((int)(done * parts.Length), parts.Length - 1); part++)
            {
                parts[part] = double.Max(parts[part], walkMs);
            }

            progress(done);
        }

        Volatile.Write(ref stop, true);
        writer.Join();
        PauseFigures pauses = meter.Stop();
        cancel.ThrowIfCancellationRequested();
        if (failure is not null)
        {
            throw new InvalidOperationException($"The rewriting thread ended: {failure.Message}", failure);
        }

        return new LiveFigures
        {
            Rewrites = rewrites,
            Walks = walks.Count,
            NodesPerWalk = expected.Nodes,
            TornNodes = torn,
            WrongWalks = wrong,
            MedianWalkMs = walks.Order().ElementAt(walks.Count / 2),
            LongestWalkMs = walks.Max(),
            WalksMs = parts,
            Pauses = pauses,
        };
    }
}
