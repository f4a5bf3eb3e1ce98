using System;
using System.Diagnostics;
using System.Threading;

namespace PackageGraph.Measuring;

/// <summary>A thread that allocates as a busy program does: small objects, most of which die young, while every eighth lives on
/// until thousands of others have come after it. It never touches the graph.</summary>
internal static class BackgroundLoad
{
    private const int Survivors = 1 << 17;
    private const int BytesMin = 16;
    private const int BytesEnd = 512;
    private const int Seed = 7;

    /// <summary>Allocates for some seconds beside a <see cref="PauseMeter"/>.</summary>
    internal static PauseFigures Run(double seconds, Action<double> progress, CancellationToken cancel)
    {
        byte[]?[] survivors = new byte[Survivors][];
        bool stop = false;
        var thread = new Thread(() => Allocate(survivors, ref stop)) { IsBackground = true, Name = "background load" };
        var meter = new PauseMeter(seconds);
        thread.Start();
        long start = Stopwatch.GetTimestamp();
        for (double done = 0; done < 1 && !cancel.IsCancellationRequested; done = Stopwatch.GetElapsedTime(start).TotalSeconds / seconds)
        {
            progress(done);
            cancel.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(200));
        }

        Volatile.Write(ref stop, true);
        thread.Join();
        PauseFigures figures = meter.Stop();
        cancel.ThrowIfCancellationRequested();
        return figures;
    }

    private static void Allocate(byte[]?[] survivors, ref bool stop)
    {
        var random = new Random(Seed);
        for (int count = 0; !Volatile.Read(ref stop); count++)
        {
            byte[] made = new byte[random.Next(BytesMin, BytesEnd)];
            if (count % 8 == 0)
            {
                survivors[count / 8 % Survivors] = made;
            }
        }
    }
}
