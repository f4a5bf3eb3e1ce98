using System;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Pile.Compare.Reports;

/// <summary>The table of the README, made of a committed result: it stands between two comments, the first of which names the
/// result's file.</summary>
internal static class ReadmeTable
{
    private const string Begin = "<!-- compare: ";
    private const string BeginEnd = " -->\n";
    private const string End = "<!-- /compare -->";

    /// <summary>The table.</summary>
    internal static string Of(CompareResult result)
    {
        string table = Markdown.Table(
            ["figure", "Pile", "theirs", "ratio", "goal", ""],
            1,
            result.Rows.Select(row => new[]
            {
                row.Name,
                $"{Figure.Of(row.Ours)} {row.Unit}",
                row.Theirs is null ? "" : $"{Figure.Of(row.Theirs)} {row.Unit}",
                row.AtMost ? $"{Figure.Of(row.Ratio)} {row.Unit}" : row.Ratio is null ? "" : $"{Figure.Of(row.Ratio)}x",
                row.Must is null ? "" : $"{Markdown.Bar(row.Must, row.AtMost)}, {Markdown.Bar(row.Reach, row.AtMost)}",
                row.Verdict == Running.Verdicts.None ? (row.Ratio < 1 ? "they win" : "") : row.Ratio < 1 && !row.AtMost ? $"{row.Verdict}; they win" : row.Verdict,
            }));
        string where = string.Create(
            CultureInfo.InvariantCulture,
            $"{result.Objects:#,0} objects of {result.PayloadBytes} bytes, median of {result.Rounds} rounds, {result.Machine.Cpu}, {result.Machine.Cores} cores, {result.Machine.Runtime}, {result.Machine.Date}.{(result.Note.Length == 0 ? "" : $" {result.Note}.")}");
        return $"{where}\nRatios above 1 are in Pile's favour; the goal says what it must and what it should reach.\n\n{table}";
    }

    /// <summary>A README with the table of the result that it names.</summary>
    /// <param name="readme">Its text.</param>
    /// <param name="resultOf">Reads a result by the path that the README names.</param>
    /// <exception cref="InvalidDataException">The README has no place for it.</exception>
    internal static string Renew(string readme, Func<string, CompareResult> resultOf)
    {
        int begin = readme.IndexOf(Begin, StringComparison.Ordinal);
        int pathEnd = begin < 0 ? -1 : readme.IndexOf(BeginEnd, begin, StringComparison.Ordinal);
        int end = pathEnd < 0 ? -1 : readme.IndexOf(End, pathEnd, StringComparison.Ordinal);
        if (end < 0)
        {
            throw new InvalidDataException($"The README has no lines '{Begin}path{BeginEnd.TrimEnd()}' and '{End}'.");
        }

        string path = readme[(begin + Begin.Length)..pathEnd];
        return $"{readme[..(pathEnd + BeginEnd.Length)]}\n{Of(resultOf(path))}\n{readme[end..]}";
    }
}
