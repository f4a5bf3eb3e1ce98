using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using Spectre.Console;

namespace Pile.HitRatio.Reports;

/// <summary>What a user sees: bars and a table on a terminal, plain lines when piped; with JSON the lines go to standard error.</summary>
internal sealed class Face(bool json, TextWriter? lines = null)
{
    private const int TitleWidth = 24;
    private readonly bool _plain = json || lines is not null || Console.IsOutputRedirected || !AnsiConsole.Profile.Capabilities.Interactive;
    private readonly TextWriter _lines = lines ?? (json ? Console.Error : Console.Out);

    /// <summary>A line of text.</summary>
    internal void Say(string line = "") => _lines.WriteLine(line);

    /// <summary>Runs a step, which reports its progress from 0 to 1.</summary>
    internal T Run<T>(string title, Func<Action<double>, T> step)
    {
        if (!_plain)
        {
            return AnsiConsole.Progress()
                .Columns(new TaskDescriptionColumn { Alignment = Justify.Left }, new ProgressBarColumn(), new PercentageColumn(), new ElapsedTimeColumn())
                .Start(context =>
                {
                    ProgressTask task = context.AddTask(Markup.Escape(title.PadRight(TitleWidth)), maxValue: 1);
                    return step(done => task.Value = done);
                });
        }

        long start = Stopwatch.GetTimestamp();
        T result = step(static _ => { });
        Say(string.Create(CultureInfo.InvariantCulture, $"{title.PadRight(TitleWidth)} {Stopwatch.GetElapsedTime(start).TotalSeconds,8:0.0} s"));
        return result;
    }

    /// <summary>Shows rows in columns, the first to the left.</summary>
    internal void Show(IReadOnlyList<string> heads, IReadOnlyList<string[]> rows)
    {
        if (_plain)
        {
            int[] widths = [.. heads.Select((head, column) => rows.Max(row => int.Max(head.Length, row[column].Length)))];
            foreach (IReadOnlyList<string> row in rows.Prepend(heads))
            {
                Say(string.Join("  ", row.Select((cell, column) => column == 0 ? cell.PadRight(widths[0]) : cell.PadLeft(widths[column]))).TrimEnd());
            }

            return;
        }

        var table = new Spectre.Console.Table();
        for (int column = 0; column < heads.Count; column++)
        {
            table.AddColumn(new TableColumn(Markup.Escape(heads[column])) { Alignment = column == 0 ? Justify.Left : Justify.Right });
        }

        foreach (string[] row in rows)
        {
            table.AddRow([.. row.Select(Markup.Escape)]);
        }

        AnsiConsole.Write(table);
    }
}
