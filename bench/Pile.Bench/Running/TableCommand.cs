using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using Pile.Bench.Reports;
using Pile.Bench.Workloads;

namespace Pile.Bench.Running;

/// <summary>The faces that end in a table: every workload in turn, every round of it, then the report.</summary>
internal static class TableCommand
{
    internal static int Run(TableFace face, string[] args)
    {
        var settings = BenchSettings.Parse(face, args);
        Machine machine = Machine.Here(TimeProvider.System);
        Console.WriteLine($"{machine}\n{settings.Objects:N0} objects, {settings.Rounds} rounds\n");
        List<RowResult> results = [];
        List<SeriesResult> series = [];
        List<string> missed = [];
        foreach (WorkloadEntry entry in face.Workloads.Where(entry => settings.Only.Count == 0 || settings.Only.Contains(entry.Name)))
        {
            long start = Stopwatch.GetTimestamp();
            List<Samples> rounds;
            IReadOnlyList<Row> rows;
            try
            {
                rounds = Rounds(entry, settings, out rows);
            }
            catch (NotAvailableException missing)
            {
                missed.Add($"{entry.Name}: not available: {missing.Message}");
                Console.WriteLine(missed[^1]);
                continue;
            }

            RowResult[] made = [.. rows.Select(row => new RowResult(entry.Name, row, rounds))];
            results.AddRange(made);
            series.AddRange(SeriesResult.Of(entry.Name, rounds));
            foreach (RowResult result in made)
            {
                Console.WriteLine(TextTable.Line(result));
            }

            Console.WriteLine($"  [{entry.Name}: {Stopwatch.GetElapsedTime(start).TotalSeconds:F1} s]");
        }

        Console.WriteLine();
        Console.WriteLine(TextTable.Of(results));
        Console.WriteLine(TextTable.Definitions(results) + string.Concat(missed.Select(line => $"- {line}\n")));
        bool isWhole = !settings.Quick && settings.Only.Count == 0;
        if (isWhole || settings.JsonPath is not null)
        {
            ResultFiles.WriteTable(face, settings, machine, results, series, missed, withMarkdown: isWhole);
        }

        return 0;
    }

    internal static void List()
    {
        foreach (WorkloadEntry entry in TableFace.All.SelectMany(face => face.Workloads))
        {
            Console.WriteLine(entry.Name);
        }
    }

    private static List<Samples> Rounds(WorkloadEntry entry, BenchSettings settings, out IReadOnlyList<Row> rows)
    {
        using IWorkload workload = entry.Make(settings);
        rows = workload.Rows;
        workload.Prepare();
        List<Samples> rounds = [];
        for (int round = 0; round < settings.Rounds; round++)
        {
            var samples = new Samples();
            workload.Round(samples);
            rounds.Add(samples);
        }

        return rounds;
    }
}
