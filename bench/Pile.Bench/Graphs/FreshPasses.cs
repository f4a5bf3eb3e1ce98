using System;
using System.Diagnostics;
using System.Threading;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>Times loops over objects that nobody has seen before: an object written twice has its identity hash code already.</summary>
internal static class FreshPasses
{
    private const int WarmPauses = 5;
    private const int WarmPauseMs = 160;
    private const int WarmMs = 60;
    private const int WarmCallsMin = 8;
    private const int TurnsOfARound = 8;
    private const int CallsOfATurn = 3;

    private static long _sink;

    /// <summary>Runs each loop for a while, with pauses for the background work of the JIT and of the codec: 0.8 s of pauses
    /// and as much of calls as there are contenders.</summary>
    internal static void Warm(params ReadOnlySpan<FreshContender> contenders)
    {
        for (int pause = 0; pause < WarmPauses; pause++)
        {
            foreach (FreshContender contender in contenders)
            {
                long start = Stopwatch.GetTimestamp();
                for (int call = 0; call < WarmCallsMin || Stopwatch.GetElapsedTime(start).TotalMilliseconds < WarmMs; call++)
                {
                    contender.Refresh();
                    _sink += contender.Loop();
                }
            }

            Thread.Sleep(WarmPauseMs);
        }
    }

    /// <summary>What the series of a contender without the collector's pauses is called.</summary>
    internal static string Unpaused(string series) => series + "-unpaused";

    /// <summary>Runs contenders in turn, each turn a different one first, each three times with fresh objects.</summary>
    internal static void Interleave(Samples samples, ReadOnlySpan<FreshContender> contenders, int turns = TurnsOfARound)
    {
        var spent = new Spent[contenders.Length];
        var paused = new TimeSpan[contenders.Length];
        long sum = 0;
        for (int turn = 0; turn < turns; turn++)
        {
            for (int place = 0; place < contenders.Length; place++)
            {
                int index = (turn + place) % contenders.Length;
                for (int call = 0; call < CallsOfATurn; call++)
                {
                    contenders[index].Refresh();
                    TimeSpan before = GC.GetTotalPauseDuration();
                    Spent start = Spent.Now();
                    sum += contenders[index].Loop();
                    spent[index] += Spent.Now() - start;
                    paused[index] += GC.GetTotalPauseDuration() - before;
                }
            }
        }

        Volatile.Write(ref _sink, sum);
        for (int index = 0; index < contenders.Length; index++)
        {
            double operations = (double)turns * CallsOfATurn * contenders[index].Operations;
            double pausedNs = paused[index].TotalNanoseconds;
            samples.Keep(contenders[index].Series, spent[index] / operations);
            samples.Keep(Unpaused(contenders[index].Series), (spent[index] - new Spent(pausedNs, pausedNs)) / operations);
        }
    }
}
