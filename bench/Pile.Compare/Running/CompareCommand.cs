using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using Pile.Bench.Reports;
using Pile.Bench.Running;
using Pile.Compare.Contestants;
using Pile.Compare.Reports;
using Pile.Compare.Solo;
using Pile.Compare.Workloads;

namespace Pile.Compare.Running;

/// <summary>The parent: tries settings, starts the contestants, alternates the rounds, compares what they return, and reports.</summary>
internal sealed class CompareCommand(CompareSettings settings)
{
    private const int DigestSamples = 1_000_000;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly List<TrialResult> _trials = [];
    private readonly List<SeriesResult> _series = [];
    private readonly List<RowResult> _rows = [];
    private int _version;

    /// <summary>Runs all of it.</summary>
    /// <returns>The exit code.</returns>
    internal int Run()
    {
        MemoryNeed.Check(settings);
        Machine machine = Machine.Here(TimeProvider.System);
        Console.WriteLine($"{machine}\n{settings.Objects:#,0} objects of {Loops.PayloadBytes} B, {settings.Rounds} rounds\n");
        IEntry[] entries = [.. Entries.All.Where(entry => !settings.Without.Contains(entry.Name))];
        IWorkload[] workloads = [.. WorkloadList.All.Where(workload => IsWanted(workload.Name))];
        ISolo[] solos = [.. SoloList.All.Where(solo => IsWanted(solo.Name))];
        List<ContestantResult> contestants = workloads.Length > 0 ? RunContestants(entries, workloads) : [];
        foreach (ISolo solo in solos)
        {
            RunSolo(solo);
        }

        var result = new CompareResult
        {
            Machine = machine,
            Command = settings.Command,
            Note = settings.Note,
            Objects = settings.Objects,
            PayloadBytes = Loops.PayloadBytes,
            Rounds = settings.Rounds,
            Contestants = contestants,
            TrialObjects = settings.TrialObjects,
            Trials = _trials,
            Rows = _rows,
            Series = _series,
            Seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds,
        };
        Console.WriteLine($"\n{Markdown.Of(result)}");
        if (settings.IsWhole || settings.JsonPath is not null)
        {
            string json = settings.JsonPath ?? ResultFolder.PathOf(machine, "compare.json");
            ResultFolder.WriteText(json, result.ToJson() + "\n");
            ResultFolder.WriteText(Path.ChangeExtension(json, "md"), Markdown.Of(result));
        }

        return 0;
    }

    private bool IsWanted(string name) => settings.Only.Count == 0 || settings.Only.Contains(name);

    private List<ContestantResult> RunContestants(IEntry[] entries, IWorkload[] workloads)
    {
        int[] chosen = [.. entries.Select(entry => entry.Settings > 1 ? BestSetting(entry, workloads) : 0)];
        List<ChildProcess> children = [];
        try
        {
            for (int index = 0; index < entries.Length; index++)
            {
                children.Add(ChildProcess.Contestant(entries[index].Name, chosen[index], settings.Objects, settings));
            }

            // Whatever runs first, the stores are full before it.
            foreach (IWorkload workload in workloads.Any(workload => workload is FillFresh) ? workloads : [new FillFresh(), .. workloads])
            {
                RunWorkload(workload, entries, children);
            }

            _rows.AddRange(workloads.SelectMany(workload => workload.Rows).Select(RowOf).OfType<RowResult>());
            return [.. entries.Select((entry, index) => new ContestantResult(
                entry.Name,
                entry.Version,
                entry.Describe(chosen[index]),
                entry.Guarantees,
                _series.Last(series => series.Contestant == entry.Name).Rounds[^1].ResidentBytes))];
        }
        finally
        {
            children.ForEach(child => child.Dispose());
        }
    }

    private void RunWorkload(IWorkload workload, IEntry[] entries, List<ChildProcess> children)
    {
        long start = Stopwatch.GetTimestamp();
        _version++;
        foreach (ChildProcess child in children)
        {
            _ = child.Ask<Measured>(ChildServer.WarmCommand, workload.Name, $"{_version}");
        }

        List<Measured>[] rounds = [.. entries.Select(_ => new List<Measured>())];
        for (int round = 0; round < settings.Rounds; round++)
        {
            _version++;
            for (int turn = 0; turn < children.Count; turn++)
            {
                int which = (round + turn) % children.Count;
                rounds[which].Add(children[which].Ask<Measured>(ChildServer.RoundCommand, workload.Name, $"{_version}"));
            }
        }

        int step = int.Max(1, settings.Objects / DigestSamples);
        ulong[] digests = [.. children.Select(child => child.Ask<ulong>(ChildServer.DigestCommand, $"{step}"))];
        for (int index = 0; index < entries.Length; index++)
        {
            if (digests[index] != digests[0])
            {
                throw new InvalidDataException($"After '{workload.Name}' {entries[index].Name} returns other bytes than {entries[0].Name}.");
            }

            _series.Add(new SeriesResult(workload.Name, entries[index].Name, rounds[index]));
        }

        string figures = string.Join(", ", entries.Select((entry, index) => $"{entry.Name} {Figure.Of(Quantile.Of(rounds[index].Select(round => round.WallNs), 0.5))}"));
        Console.WriteLine($"{workload.Name}: {figures} ns; equal bytes  [{Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s]");
    }

    private int BestSetting(IEntry entry, IWorkload[] workloads)
    {
        double[] means = new double[entry.Settings];
        for (int setting = 0; setting < means.Length; setting++)
        {
            using ChildProcess child = ChildProcess.Contestant(entry.Name, setting, settings.TrialObjects, settings);
            List<double> medians = [];
            foreach (IWorkload workload in workloads.Any(workload => workload is FillFresh) ? workloads : [new FillFresh(), .. workloads])
            {
                _ = child.Ask<Measured>(ChildServer.WarmCommand, workload.Name, "1");
                medians.Add(Quantile.Of(Enumerable.Range(0, settings.TrialRounds).Select(_ => child.Ask<Measured>(ChildServer.RoundCommand, workload.Name, "1").WallNs), 0.5));
            }

            means[setting] = GeometricMean(medians);
            Console.WriteLine($"tried {entry.Name}, {entry.Describe(setting)}: {Figure.Of(means[setting])} ns");
        }

        int best = Array.IndexOf(means, means.Min());
        _trials.AddRange(means.Select((mean, setting) => new TrialResult(entry.Name, entry.Describe(setting), mean, setting == best)));
        return best;
    }

    /// <summary>The geometric mean: no workload counts more because its figures are larger.</summary>
    internal static double GeometricMean(IReadOnlyCollection<double> values) => Math.Exp(values.Average(Math.Log));

    private void RunSolo(ISolo solo)
    {
        long start = Stopwatch.GetTimestamp();
        long objects = solo.ObjectsFor(settings.Objects);
        Dictionary<string, IReadOnlyDictionary<string, double>> cases = new(StringComparer.Ordinal);
        foreach (string name in solo.Cases)
        {
            cases.Add(name, ChildProcess.Solo(solo.Name, name, objects));
        }

        RowResult[] rows = [.. solo.Rows(objects, cases)];
        _rows.AddRange(rows);
        foreach (RowResult row in rows)
        {
            Console.WriteLine(string.Join("  ", Markdown.Cells(row).Where(cell => cell.Length > 0)));
        }

        Console.WriteLine($"  [{solo.Name}: {Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s]");
    }

    private RowResult? RowOf(RowSpec spec) =>
        RoundsOf(spec.Workload, spec.Us) is { } ours && RoundsOf(spec.TheirWorkload, spec.Contestant) is { } theirs ? RowResult.Of(spec, ours, theirs) : null;

    private IReadOnlyList<Measured>? RoundsOf(string workload, string contestant) =>
        _series.Find(series => series.Workload == workload && series.Contestant == contestant)?.Rounds;
}
