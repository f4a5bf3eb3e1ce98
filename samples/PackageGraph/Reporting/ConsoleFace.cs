using System;
using System.Diagnostics;
using System.IO;
using Spectre.Console;

namespace PackageGraph.Reporting;

/// <summary>What a user sees while it runs: bars on a terminal, plain lines when piped; with JSON the lines go to standard error.</summary>
internal sealed class ConsoleFace(bool json)
{
    private const int TitleWidth = 46;
    private readonly bool _plain = json || Console.IsOutputRedirected || !AnsiConsole.Profile.Capabilities.Interactive;
    private readonly TextWriter _lines = json ? Console.Error : Console.Out;

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
                    T made = step(done => task.Value = done);
                    task.Value = 1;
                    return made;
                });
        }

        long start = Stopwatch.GetTimestamp();
        _lines.Write(title.PadRight(TitleWidth));
        _lines.Flush();
        T result = step(static _ => { });
        _lines.WriteLine($" {Figure.Of(Stopwatch.GetElapsedTime(start).TotalSeconds),8} s");
        return result;
    }

    /// <summary>A line of text.</summary>
    internal void Say(string line = "") => _lines.WriteLine(line);
}
