using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Pile.Bench.Reports;
using Pile.HitRatio.Contestants;
using Pile.HitRatio.Reports;
using Pile.HitRatio.Traces;

namespace Pile.HitRatio.Running;

/// <summary>All of it: every trace, then the comparison.</summary>
internal sealed class HitRatioRun(HitRatioSettings settings, Face face)
{
    private readonly long _start = Stopwatch.GetTimestamp();

    /// <exception cref="InvalidDataException">A trace is bad, or a contestant breaks its budget.</exception>
    internal HitRatioResult Run()
    {
        IEntry[] entries = [.. Entries.All.Where(entry => settings.Contestants.Contains(entry.Name))];
        ITrace[] traces = [.. settings.Traces.Select(Generated), .. settings.TraceFiles.Select(static path => new CsvTrace(path))];
        if (traces.GroupBy(static trace => trace.Name).FirstOrDefault(static group => group.Count() > 1) is { } twice)
        {
            throw new InvalidDataException($"Two traces have the name '{twice.Key}': rename a file.");
        }

        int chargeBytes = settings.ChargeBytesUsed;
        var race = new Race(entries, settings.Sizes, chargeBytes);
        List<TraceResult> traceResults = [];
        List<CellResult> cells = [];
        foreach (ITrace trace in traces)
        {
            (TraceResult result, IReadOnlyList<CellResult> found) = face.Run(trace.Name, progress => race.Run(trace, progress));
            traceResults.Add(result);
            cells.AddRange(found);
        }

        IReadOnlyList<CellResult> compared = Comparison.Of(cells);
        return new HitRatioResult
        {
            Machine = Machine.Here(TimeProvider.System),
            Command = settings.Command,
            Seed = settings.Seed,
            KeyBytes = Budget.KeyBytes,
            ChargeBytes = chargeBytes,
            Contestants = [.. entries.Select(static entry => new ContestantResult(entry.Name, entry.Version, entry.Source))],
            Traces = traceResults,
            Cells = compared,
            Means = Comparison.Means(compared),
            Seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds,
        };
    }

    private ITrace Generated(string name) => TraceList.Of(name, settings.Keys, settings.Requests, (ulong)settings.Seed);
}
