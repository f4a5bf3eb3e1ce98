using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Pile.Bench.Reports;
using Pile.Bench.Running;

namespace Pile.Bench.Strings;

/// <summary>The face <c>strings</c>: ways to store text, in turn over the same texts.</summary>
internal static class StringsCommand
{
    private const int Operations = 8 * 50_000;

    internal static int Run(string[] args)
    {
        var settings = BenchSettings.Parse(new TableFace("strings", "Ways to store text", []), args);
        Machine machine = Machine.Here(TimeProvider.System);
        int operations = settings.Quick ? Operations / 20 : Operations;
        var table = new StringBuilder();
        table.AppendLine("| text | chars | form | bytes | write ns | read ns | write, ratio to the first | read, ratio to the first |");
        table.AppendLine("|---|---:|---|---:|---:|---:|---:|---:|");
        foreach (TextSample sample in TextSample.All)
        {
            foreach (string line in Compare(sample, settings.Rounds, operations))
            {
                Console.WriteLine(line);
                table.AppendLine(line);
            }
        }

        if (!settings.Quick)
        {
            string text = $"""
                # Ways to store text

                - machine: {machine.Cpu}, {machine.Cores} cores, {machine.System}, {machine.Runtime}, {machine.Date}
                - command: `dotnet run -c Release --project bench/Pile.Bench -- {settings.Command}` ({settings.Rounds} rounds)

                1,000 different texts written to a buffer and read back to strings, the forms in turn; processor time of the thread,
                medians over the rounds. "Counted" asks for the length before it writes, as a record needs it; "staged" writes to a
                buffer first and copies. Reading includes making the string, whose allocation is the same for all.

                {table}
                """;
            ResultFolder.WriteText(ResultFolder.PathOf(machine, "strings.md"), text.TrimEnd() + "\n");
        }

        return 0;
    }

    private static IEnumerable<string> Compare(TextSample sample, int roundCount, int operations)
    {
        IFormTrial[] trials =
        [
            new FormTrial<PileForm>(new(), sample),
            new FormTrial<Utf8Form>(new(), sample),
            new FormTrial<Utf8StagedForm>(new(), sample),
        ];
        foreach (IFormTrial trial in trials)
        {
            trial.Prepare();
        }

        List<Samples> rounds = [];
        for (int round = 0; round < roundCount; round++)
        {
            var samples = new Samples();
            Passes.Interleave(samples, operations, [.. trials.Select(trial => new Contender("write " + trial.Name, trial.Write))]);
            Passes.Interleave(samples, operations, [.. trials.Select(trial => new Contender("read " + trial.Name, trial.Read))]);
            rounds.Add(samples);
        }

        foreach (IFormTrial trial in trials)
        {
            yield return string.Create(CultureInfo.InvariantCulture,
                $"| {sample.Kind} | {sample.Chars} | {trial.Name} | {trial.BytesPerText:F1} | {Median("write", trial.Name):F1} | "
                + $"{Median("read", trial.Name):F1} | {Relative("write", trial.Name):F2} | {Relative("read", trial.Name):F2} |");
        }

        double Median(string what, string name) => Quantile.Of(rounds.Select(samples => samples.Cpu[$"{what} {name}"]), 0.5);

        double Relative(string what, string name) => Quantile.Of(
            rounds.Select(samples => samples.Cpu[$"{what} {name}"] / samples.Cpu[$"{what} {trials[0].Name}"]), 0.5);
    }
}
