using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Pile.Bench.Running;

namespace Pile.Bench.Reports;

/// <summary>Rows as text, for people.</summary>
internal static class TextTable
{
    private static readonly string[] _heads = ["figure", "ours", "theirs", "unit", "ratio", "quartiles", "range", "must", "reach for", "", "ratio cpu", "quartiles", ""];

    /// <summary>One row on one line.</summary>
    internal static string Line(RowResult result) => string.Join("  ", Cells(result));

    /// <summary>All rows in columns.</summary>
    internal static string Of(IReadOnlyList<RowResult> results)
    {
        string[][] lines = [_heads, .. results.Select(Cells)];
        int[] widths = [.. _heads.Select((_, column) => lines.Max(line => line[column].Length))];
        var text = new StringBuilder();
        foreach (string[] line in lines)
        {
            text.AppendLine(string.Join("  ", line.Select((cell, column) =>
                column == 0 ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column]))).TrimEnd());
        }

        return text.ToString();
    }

    /// <summary>All rows as a Markdown table.</summary>
    internal static string Markdown(IReadOnlyList<RowResult> results)
    {
        var text = new StringBuilder();
        text.AppendLine(CultureInfo.InvariantCulture, $"| {string.Join(" | ", _heads)} |");
        text.AppendLine(CultureInfo.InvariantCulture, $"|{string.Concat(_heads.Select((_, column) => column == 0 ? "---|" : "---:|"))}");
        foreach (RowResult result in results)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"| {string.Join(" | ", Cells(result))} |");
        }

        return text.ToString();
    }

    /// <summary>What each row ran.</summary>
    internal static string Definitions(IReadOnlyList<RowResult> results) =>
        string.Concat(results.Select(result => $"- {result.Row.Name}: {result.Row.Definition}\n"));

    private static string[] Cells(RowResult result) =>
    [
        result.Row.Name,
        Figure(result.Wall.Ours),
        Figure(result.Wall.Theirs),
        result.Row.Unit,
        Figure(result.Wall.Ratio),
        $"{Figure(result.Wall.LowerQuartile)}..{Figure(result.Wall.UpperQuartile)}",
        $"{Figure(result.Wall.Least)}..{Figure(result.Wall.Most)}",
        Bar(result.Row, result.Row.Must),
        Bar(result.Row, result.Row.Reach),
        result.Wall.Verdict,
        Figure(result.Cpu.Ratio),
        $"{Figure(result.Cpu.LowerQuartile)}..{Figure(result.Cpu.UpperQuartile)}",
        result.Cpu.Verdict,
    ];

    private static string Bar(Row row, double? bar) =>
        bar is { } value ? $"{(row.AtMost ? "<=" : ">=")} {value.ToString("0.0#", CultureInfo.InvariantCulture)}" : "";

    private static string Figure(double value) => value.ToString(value < 10 ? "F2" : "F1", CultureInfo.InvariantCulture);
}
