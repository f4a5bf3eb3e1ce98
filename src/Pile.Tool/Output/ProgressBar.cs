// Progress on a terminal: one line on standard error that changes, and goes when the work is over.
// The only place that uses Spectre.Console, which is loaded no sooner than a bar is shown.
using System;
using System.Threading;
using Spectre.Console;

namespace Pile.Tool.Output;

/// <summary>Progress as a bar.</summary>
internal static class ProgressBar
{
    private const int BarColumns = 16;
    private const int ShownAfterMs = 300;

    /// <summary>Runs a work and shows a bar while it lasts.</summary>
    internal static T Run<T>(Meter meter, Func<T> work)
    {
        T result = default!;
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) });
        using var over = new ManualResetEventSlim();
        Exception? failure = null;
        var worker = new Thread(() =>
        {
            try
            {
                result = work();
            }
            catch (Exception thrown)
            {
                failure = thrown;
            }

            over.Set();
        })
        { IsBackground = true, Name = "work" };
        worker.Start();
        if (!over.Wait(ShownAfterMs))
        {
            console.Progress().AutoClear(true).HideCompleted(true)
                .Columns(new ProgressBarColumn { Width = BarColumns }, new TaskDescriptionColumn { Alignment = Justify.Left })
                .Start(context =>
                {
                    ProgressTask task = context.AddTask(Markup.Escape(meter.ToString()), maxValue: 1);
                    while (!over.Wait(ShownAfterMs / 3))
                    {
                        task.IsIndeterminate = meter.Share == 0;
                        task.Value = meter.Share;
                        task.Description = Markup.Escape(meter.ToString());
                    }
                });
        }

        worker.Join();
        return failure is null ? result : throw failure;
    }
}
