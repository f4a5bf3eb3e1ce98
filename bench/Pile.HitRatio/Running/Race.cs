using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.HitRatio.Contestants;
using Pile.HitRatio.Reports;
using Pile.HitRatio.Traces;

namespace Pile.HitRatio.Running;

/// <summary>One trace, read twice: to learn its bytes, then for all contestants in all sizes at once, a batch of requests for each in
/// turn.</summary>
internal sealed class Race(IReadOnlyList<IEntry> entries, IReadOnlyList<double> sizes, int chargeBytes)
{
    private const int RequestsAtOnce = 4096;

    /// <summary>Runs it.</summary>
    /// <param name="trace">The trace.</param>
    /// <param name="progress">Is told how far it is, from 0 to 1.</param>
    /// <exception cref="InvalidDataException">The trace is empty or bad, or a contestant holds more than it may.</exception>
    internal (TraceResult Trace, IReadOnlyList<CellResult> Cells) Run(ITrace trace, Action<double> progress)
    {
        Footprint footprint = Footprint.Of(trace, chargeBytes);
        List<Runner> runners = [];
        try
        {
            foreach (double size in sizes)
            {
                long cacheBytes = long.Max(1, (long)(footprint.Bytes * size));
                if (entries.FirstOrDefault(entry => entry.CacheBytesMin > cacheBytes) is { } large)
                {
                    throw new InvalidDataException(
                        $"{large.Name} needs {large.CacheBytesMin:N0} bytes, and {size:0.##%} of the trace '{trace.Name}' is {cacheBytes:N0}. Ask for more keys or a larger size, or leave it out (--contestants).");
                }

                runners.AddRange(entries.Select(entry => new Runner(entry, size, new Budget(cacheBytes, chargeBytes))));
            }

            Feed(trace, footprint, runners, progress);
            return (
                new TraceResult(trace.Name, trace.Definition, footprint.Requests, footprint.Keys, footprint.Bytes),
                [.. runners.Select(runner => runner.ToCell(trace.Name, footprint.Requests))]);
        }
        finally
        {
            runners.ForEach(static runner => runner.Contestant.Dispose());
        }
    }

    private static void Feed(ITrace trace, Footprint footprint, List<Runner> runners, Action<double> progress)
    {
        Request[] some = new Request[RequestsAtOnce];
        long done = 0;
        using ITraceReader reader = trace.Open();
        for (int count = reader.Read(some); count > 0; count = reader.Read(some))
        {
            foreach (Runner runner in runners)
            {
                runner.Feed(some.AsSpan(0, count));
            }

            done += count;
            progress(done / (double)footprint.Requests);
        }

        if (done != footprint.Requests)
        {
            throw new InvalidDataException($"The trace '{trace.Name}' had {footprint.Requests} requests, and {done} when it was read again.");
        }
    }

    private sealed class Runner(IEntry entry, double size, Budget budget)
    {
        private long _hits;
        private long _mostUsedBytes;

        internal IContestant Contestant { get; } = entry.Make(budget);

        internal void Feed(ReadOnlySpan<Request> requests)
        {
            long hits = 0;
            foreach (Request request in requests)
            {
                hits += Contestant.Request(request.Key, request.Bytes, request.Time) ? 1 : 0;
            }

            _hits += hits;
            _mostUsedBytes = long.Max(_mostUsedBytes, Contestant.UsedBytes);
            if (_mostUsedBytes > budget.CacheBytes)
            {
                throw new InvalidDataException($"{entry.Name} holds {_mostUsedBytes} bytes, and may hold {budget.CacheBytes}.");
            }
        }

        internal CellResult ToCell(string trace, long requests) => new()
        {
            Trace = trace,
            Size = size,
            CacheBytes = budget.CacheBytes,
            Contestant = entry.Name,
            Requests = requests,
            Hits = _hits,
            MostUsedBytes = _mostUsedBytes,
        };
    }
}
