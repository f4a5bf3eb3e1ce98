using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

namespace Pile.Bench.Goals;

/// <summary>docs/STATUS.md: its tables, each between two comments, the first of which names the part.</summary>
internal static class GoalDocument
{
    private const string Begin = "<!-- status: ";
    private const string BeginEnd = " -->\n";
    private const string End = "<!-- /status -->";
    private const string Sources = "results";

    /// <summary>The document with its tables made of the results of folders. Each stands between two comments, the first of which names the part.</summary>
    internal static string Renew(string document, IReadOnlyList<string> folders)
    {
        List<GoalRow> rows = GoalResults.Read(folders);
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
            string content = part == Sources ? string.Concat(GoalResults.Sources(folders).Select(static line => $"- {line}\n")) : Table(rows, part);
            _ = renewed.Append(document.AsSpan(at, nameEnd + BeginEnd.Length - at)).Append('\n').Append(content).Append('\n').Append(End);
            at = end + End.Length;
        }

        return renewed.Append(document.AsSpan(at)).ToString();
    }

    /// <summary>The table of a part.</summary>
    internal static string Table(List<GoalRow> rows, string part)
    {
        var table = new StringBuilder("| figure | must | reach for | found |  | cores | command |\n|---|---:|---:|---:|---|---:|---|\n");
        foreach (GoalRow row in rows.Where(row => row.Part == part))
        {
            _ = table.Append(CultureInfo.InvariantCulture, $"| {row.Figure} | {row.Must} | {row.Reach} | {row.Found} | {row.Verdict} | {row.Cores} | `{row.Command}` |\n");
        }

        return table.ToString();
    }
}
