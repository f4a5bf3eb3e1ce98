using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;

namespace PackageGraph.Measuring;

/// <summary>A thread that sleeps a millisecond at a time and notes how much later it wakes up: what any other thread of the
/// program would feel. It also reads the runtime's own clock of collector pauses.</summary>
internal sealed class PauseMeter
{
    /// <summary>Parts of the time for the chart.</summary>
    internal const int Parts = 100;

    private const int SleepMs = 1;
    private readonly double[] _stopsMs = new double[Parts];
    private readonly int[] _collectionsBefore = [.. Enumerable.Range(0, 3).Select(GC.CollectionCount)];
    private readonly TimeSpan _pausedBefore = GC.GetTotalPauseDuration();
    private readonly double _seconds;
    private readonly Thread _thread;
    private readonly long _start = Stopwatch.GetTimestamp();
    private double _longestGcMs;
    private double _elapsedSeconds;
    private bool _stop;

    /// <param name="seconds">How long it will be asked to look.</param>
    internal PauseMeter(double seconds)
    {
        _seconds = seconds;
        _thread = new Thread(Watch) { IsBackground = true, Name = "pause meter" };
        _thread.Start();
    }

    /// <summary>Ends the watch.</summary>
    internal PauseFigures Stop()
    {
        Volatile.Write(ref _stop, true);
        _thread.Join();
        return new PauseFigures(
            _elapsedSeconds,
            _stopsMs.Max(),
            _longestGcMs,
            (GC.GetTotalPauseDuration() - _pausedBefore).TotalMilliseconds,
            [.. Enumerable.Range(0, 3).Select(generation => GC.CollectionCount(generation) - _collectionsBefore[generation])],
            _stopsMs);
    }

    private void Watch()
    {
        TimeSpan paused = GC.GetTotalPauseDuration();
        while (!Volatile.Read(ref _stop))
        {
            long before = Stopwatch.GetTimestamp();
            Thread.Sleep(SleepMs);
            double stopMs = double.Max(0, Stopwatch.GetElapsedTime(before).TotalMilliseconds - SleepMs);
            TimeSpan pausedNow = GC.GetTotalPauseDuration();
            _longestGcMs = double.Max(_longestGcMs, (pausedNow - paused).TotalMilliseconds);
            paused = pausedNow;
            int firstPart = PartOf(_elapsedSeconds);
            _elapsedSeconds = Stopwatch.GetElapsedTime(_start).TotalSeconds;
            for (int part = firstPart; part <= PartOf(_elapsedSeconds); part++)
            {
                _stopsMs[part] = double.Max(_stopsMs[part], stopMs);
            }
        }
    }

    private int PartOf(double seconds) => int.Clamp((int)(seconds / _seconds * Parts), 0, Parts - 1);
}
