using System;
using System.Diagnostics;
using System.Threading;

namespace PackageGraph.Measuring;

/// <summary>A thread that loads more packages, in the form that is being measured, again and again, and lets go of them when a
/// quarter as many as the graph has are there: what a program does that takes in new data while it serves from the old.</summary>
internal static class BackgroundLoad
{
    /// <summary>Loads for some seconds beside a <see cref="PauseMeter"/>.</summary>
    /// <param name="seconds">How long.</param>
    /// <param name="load">Loads once, unless it is cancelled; what it gives is disposed if it can be.</param>
    /// <param name="progress">From 0 to 1.</param>
    /// <param name="cancel">Ends it.</param>
    internal static PauseFigures Run(double seconds, Func<CancellationToken, object> load, Action<double> progress, CancellationToken cancel)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        Exception? failure = null;
        var thread = new Thread(() => failure = LoadUntil(load, stop.Token)) { IsBackground = true, Name = "background load" };
        var meter = new PauseMeter(seconds);
        thread.Start();
        long start = Stopwatch.GetTimestamp();
        for (double done = 0; done < 1 && !cancel.IsCancellationRequested; done = Stopwatch.GetElapsedTime(start).TotalSeconds / seconds)
        {
            progress(done);
            cancel.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(100));
        }

        PauseFigures figures = meter.Stop();
        stop.Cancel();
        thread.Join();
        cancel.ThrowIfCancellationRequested();
        return failure is null ? figures : throw new InvalidOperationException($"The background load ended: {failure.Message}", failure);
    }

    private static Exception? LoadUntil(Func<CancellationToken, object> load, CancellationToken stop)
    {
        try
        {
            while (true)
            {
                (load(stop) as IDisposable)?.Dispose();
            }
        }
        catch (OperationCanceledException)
        {
            return null;
        }
#pragma warning disable CA1031 // whatever ends the load is shown by the thread that waits for it
        catch (Exception exception)
        {
            return exception;
        }
#pragma warning restore CA1031
    }
}
