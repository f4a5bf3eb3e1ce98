using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;

namespace PackageGraph.Measuring;

/// <summary>A loop over each form, in turn: a round is all of them one after the other, a figure the median over the rounds.</summary>
internal static class Timing
{
    private const int Rounds = 5;

    /// <summary>Nanoseconds per operation of each loop.</summary>
    /// <param name="operations">Operations of a loop.</param>
    /// <param name="between">Called after each loop.</param>
    /// <param name="loops">The loops; each gives a sum, so that nothing is optimised away.</param>
    internal static double[] Nanoseconds(int operations, Action<double> between, params IReadOnlyList<Func<long>> loops)
    {
        double[][] rounds = [.. loops.Select(_ => new double[Rounds])];
        long sum = 0;
        for (int round = -1; round < Rounds; round++)
        {
            for (int turn = 0; turn < loops.Count; turn++)
            {
                int loop = (round + 1 + turn) % loops.Count;
                long start = Stopwatch.GetTimestamp();
                sum += loops[loop]();
                if (round >= 0)
                {
                    rounds[loop][round] = Stopwatch.GetElapsedTime(start).TotalNanoseconds / operations;
                }

                between(((round + 1.0) * loops.Count + turn + 1) / ((Rounds + 1.0) * loops.Count));
            }
        }

        GC.KeepAlive(sum);
        return [.. rounds.Select(times => times.Order().ElementAt(Rounds / 2))];
    }
}
