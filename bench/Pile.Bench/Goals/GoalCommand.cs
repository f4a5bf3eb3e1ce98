using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Pile.Bench.Reports;

namespace Pile.Bench.Goals;

/// <summary>Prints where the goals stand, from the results in a folder; or writes that into docs/STATUS.md.</summary>
internal static class GoalCommand
{
    private const string Begin = "<!-- status: ";
    private const string BeginEnd = " -->\n";
    private const string End = "<!-- /status -->";
    private const string Sources = "results";

    /// <summary>Runs: the folder of results, or nothing for this machine's; --write for the document.</summary>
    internal static int Run(string[] args)
    {
        bool writes = args.Contains("--write");
        string folder = args.FirstOrDefault(static word => word != "--write") ?? Path.GetDirectoryName(ResultFolder.PathOf(Machine.Here(TimeProvider.System), "table.json"))!;
        if (!Directory.Exists(folder))
        {
            Console.Error.WriteLine($"There is no {folder}: run bench/status.sh first, or name a folder with results.");
            return 1;
        }

        if (writes)
        {
            string path = Path.Combine(ResultFolder.Root(), "docs", "STATUS.md");
            File.WriteAllText(path, Renew(File.ReadAllText(path), folder));
            Console.WriteLine("wrote docs/STATUS.md");
            return 0;
        }

        List<GoalRow> rows = GoalResults.Read(folder);
        foreach (string part in rows.Select(static row => row.Part).Distinct())
        {
            Console.WriteLine($"## {part}\n\n{Table(rows, part)}");
        }

        foreach (IGrouping<string, GoalRow> verdict in rows.GroupBy(static row => row.Verdict))
        {
            Console.WriteLine($"{verdict.Key}: {verdict.Count()}");
        }

        return 0;
    }

    /// <summary>The document with its tables made of the results of a folder. Each stands between two comments, the first of which names the part.</summary>
    internal static string Renew(string document, string folder)
    {
        List<GoalRow> rows = GoalResults.Read(folder);
        var renewed = new StringBuilder();
        int at = 0;
        for (int begin; (begin = document.IndexOf(Begin, at, StringComparison.Ordinal)) >= 0;)
        {
            int nameEnd = document.IndexOf(BeginEnd, begin, StringComparison.Ordinal);
            int end = document.IndexOf(End, begin, StringComparison.Ordinal);
            if (nameEnd < 0 || end < nameEnd)
            {
                throw new InvalidDataException($"docs/STATUS.md has '{Begin}' without '{BeginEnd.TrimEnd()}' or '{End}'.");
            }

            string part = document[(begin + Begin.Length)..nameEnd];
            string content = part == Sources ? string.Concat(GoalResults.Sources(folder).Select(static line => $"- {line}\n")) : Table(rows, part);
            _ = renewed.Append(document.AsSpan(at, nameEnd + BeginEnd.Length - at)).Append('\n').Append(content).Append('\n').Append(End);
            at = end + End.Length;
        }

        return renewed.Append(document.AsSpan(at)).ToString();
    }

    private static string Table(List<GoalRow> rows, string part)
    {
        var table = new StringBuilder("| figure | must | reach for | found |  | command |\n|---|---:|---:|---:|---|---|\n");
        foreach (GoalRow row in rows.Where(row => row.Part == part))
        {
            _ = table.Append(CultureInfo.InvariantCulture, $"| {row.Figure} | {row.Must} | {row.Reach} | {row.Found} | {row.Verdict} | `{row.Command}` |\n");
        }

        return table.ToString();
    }
}
