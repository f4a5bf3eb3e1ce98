using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Spectre.Console;

namespace WarmRestart;

/// <summary>What a user sees: a table on a terminal, plain lines when piped; with JSON the lines go to standard error.</summary>
internal sealed class Face(bool json)
{
    private static readonly string[] _heads = ["way", "first read", "of that, open", "opened", "promised", "present and equal", "not flushed, gone"];
    private readonly bool _plain = json || Console.IsOutputRedirected || !AnsiConsole.Profile.Capabilities.Interactive;
    private readonly TextWriter _lines = json ? Console.Error : Console.Out;

    internal void Say(string line) => _lines.WriteLine(line);

    /// <summary>Shows the result.</summary>
    internal void Show(RestartResult result)
    {
        List<string[]> rows = [.. result.Restarts.Select(Cells)];
        if (_plain)
        {
            int[] widths = [.. _heads.Select((head, column) => rows.Append(_heads).Max(row => row[column].Length))];
            foreach (string[] row in rows.Prepend(_heads))
            {
                Say(string.Join("  ", row.Select((cell, column) => column == 0 ? cell.PadRight(widths[0]) : cell.PadLeft(widths[column]))).TrimEnd());
            }

            return;
        }

        var table = new Table();
        foreach (string head in _heads)
        {
            table.AddColumn(new TableColumn(head) { Alignment = head == _heads[0] ? Justify.Left : Justify.Right });
        }

        rows.ForEach(row => table.AddRow([.. row.Select(Markup.Escape)]));
        AnsiConsole.Write(table);
    }

    private static string[] Cells(Restart restart) =>
    [
        restart.Way,
        Ms(restart.FirstReadMs),
        restart.OpenMs is { } open ? Ms(open) : "",
        restart.Opening ?? "",
        restart.Opening is null ? "" : Count(restart.Promised),
        restart.Opening is null ? "" : Count(restart.Present),
        restart.Opening is null ? "" : Count(restart.NotFlushed),
    ];

    private static string Ms(double ms) => string.Create(CultureInfo.InvariantCulture, $"{ms:N1} ms");

    private static string Count(int count) => count.ToString("N0", CultureInfo.InvariantCulture);
}
