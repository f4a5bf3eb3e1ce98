using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Pile.Bench.Running;
using Pile.Compare.Running;
using Pile.Compare.Solo;
using Pile.Compare.Workloads;

namespace Pile.Compare.Reports;

/// <summary>A result for people.</summary>
internal static class Markdown
{
    internal static string Of(CompareResult result)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"""
            # Pile and its peers, measured

            - machine: {result.Machine.Cpu}, {result.Machine.Cores} cores, {result.Machine.MemoryGiB} GiB, transparent huge pages: {result.Machine.HugePages}
            - system: {result.Machine.System}
            - runtime: {result.Machine.Runtime}
            - date: {result.Machine.Date}, {result.Seconds:0} s
            - command: `{result.Command}` ({result.Objects:#,0} objects of {result.PayloadBytes} B, {result.Rounds} rounds){NoteOf(result)}

            Each contestant has a process of its own; the rounds go from one to the next. A figure is a median over the rounds, a ratio
            the median of the ratios of each round, with quartiles and range; above 1 Pile is faster. "cpu" is the ratio of the processor
            time of the calling threads: the better figure where others used the machine meanwhile, but blind to waiting and to background
            threads. All contestants returned equal bytes after every workload.

            {Table(["figure", "Pile", "theirs", "unit", "ratio", "quartiles", "range", "cpu", "must", "reach for", ""], 1, result.Rows.Select(Cells))}
            ## Every contestant, ns per operation

            {Matrix(result, rounds => Figure.Of(Quantile.Of(rounds.Select(round => round.WallNs), 0.5)))}
            ## Bytes allocated on the GC heap per operation

            {Matrix(result, rounds => Figure.Of(Quantile.Of(rounds.Select(round => round.AllocatedBytes), 0.5)))}
            ## GC pauses in a round, ms in all (median round) and collections

            {Matrix(result, rounds => $"{Figure.Of(Quantile.Of(rounds.Select(round => round.PauseMs), 0.5))} ({Figure.Of(Quantile.Of(rounds.Select(round => (double)round.Collections), 0.5))})")}
            ## Who they are

            {Table(["contestant", "version", "setting", "resident MiB at the end", "guarantees"], 0, result.Contestants.Select(Cells))}
            ## Settings tried, with {result.TrialObjects:#,0} objects

            {Table(["contestant", "setting", "geometric mean, ns", ""], 0, result.Trials.Select(trial => new[] { trial.Contestant, trial.Setting, Figure.Of(trial.MeanNs), trial.IsUsed ? "used" : "" }))}
            ## What ran


            """);
        foreach (IWorkload workload in WorkloadList.All)
        {
            text.Append(CultureInfo.InvariantCulture, $"- {workload.Name}: {workload.Definition}.\n");
        }

        foreach (ISolo solo in SoloList.All)
        {
            text.Append(CultureInfo.InvariantCulture, $"- {solo.Name}: {solo.Definition}.\n");
        }

        return text.ToString();
    }

    /// <summary>A row's cells for the table of rows.</summary>
    internal static string[] Cells(RowResult row) =>
    [
        row.Name,
        Figure.Of(row.Ours),
        Figure.Of(row.Theirs),
        row.Unit,
        Figure.Of(row.Ratio),
        Between(row.LowerQuartile, row.UpperQuartile),
        Between(row.Least, row.Most),
        Figure.Of(row.RatioCpu),
        Bar(row.Must, row.AtMost),
        Bar(row.Reach, row.AtMost),
        row.Verdict,
    ];

    /// <summary>Cells as a Markdown table.</summary>
    internal static string Table(IReadOnlyList<string> heads, int firstRight, IEnumerable<string[]> lines)
    {
        var text = new StringBuilder();
        text.Append("| ").AppendJoin(" | ", heads).Append(" |\n|");
        for (int column = 0; column < heads.Count; column++)
        {
            text.Append(firstRight > 0 && column >= firstRight ? "---:|" : "---|");
        }

        foreach (string[] line in lines)
        {
            text.Append("\n| ").AppendJoin(" | ", line).Append(" |");
        }

        return text.Append('\n').ToString();
    }

    private static string[] Cells(ContestantResult contestant) =>
        [contestant.Name, contestant.Version, contestant.Setting, Figure.Of(contestant.ResidentBytes / (double)(1 << 20)), contestant.Guarantees];

    private static string Between(double? low, double? high) => low is null ? "" : $"{Figure.Of(low)}..{Figure.Of(high)}";

    /// <summary>A bar as it was set.</summary>
    internal static string Bar(double? bar, bool atMost) => bar is { } value ? $"{(atMost ? "<=" : ">=")} {value.ToString("0.##", CultureInfo.InvariantCulture)}" : "";

    private static string NoteOf(CompareResult result) => result.Note.Length == 0 ? "" : $"\n- note: {result.Note}";

    private static string Matrix(CompareResult result, System.Func<IReadOnlyList<Measured>, string> cell)
    {
        string[] names = [.. result.Contestants.Select(contestant => contestant.Name)];
        IEnumerable<string[]> lines = result.Series.GroupBy(series => series.Workload).Select(group =>
            (string[])[group.Key, .. names.Select(name => group.FirstOrDefault(series => series.Contestant == name) is { } found ? cell(found.Rounds) : "")]);
        return Table(["workload", .. names], 1, lines);
    }
}
