using System;
using System.Diagnostics;
using System.Threading;

namespace Pile.Bench.Running;

/// <summary>Two threads that run the same part of a loop each when asked to: the time from the first start to the last end.</summary>
internal sealed class Crew : IDisposable
{
    internal const int Workers = 2;
    private readonly SemaphoreSlim[] _starts = [new(0), new(0)];
    private readonly SemaphoreSlim _ends = new(0);
    private readonly long[] _times = new long[Workers * 2];
    private Action<int>? _work;
    private int _expected;
    private int _arrived;

    internal Crew()
    {
        for (int worker = 0; worker < Workers; worker++)
        {
            int mine = worker;
            new Thread(() => Serve(mine)) { IsBackground = true, Name = $"bench worker {mine}" }.Start();
        }
    }

    /// <summary>Runs the work on one or two workers; ticks of the stopwatch.</summary>
    internal long Run(int workers, Action<int> work)
    {
        (_work, _expected, _arrived) = (work, workers, 0);
        for (int worker = 0; worker < workers; worker++)
        {
            _starts[worker].Release();
        }

        for (int worker = 0; worker < workers; worker++)
        {
            _ends.Wait();
        }

        long start = _times[0];
        long end = _times[1];
        for (int worker = 1; worker < workers; worker++)
        {
            start = long.Min(start, _times[worker * 2]);
            end = long.Max(end, _times[(worker * 2) + 1]);
        }

        return end - start;
    }

    public void Dispose()
    {
        _work = null;
        foreach (SemaphoreSlim start in _starts)
        {
            start.Release();
        }
    }

    private void Serve(int worker)
    {
        while (true)
        {
            _starts[worker].Wait();
            if (_work is not { } work)
            {
                return;
            }

            Interlocked.Increment(ref _arrived);
            while (Volatile.Read(ref _arrived) < _expected)
            {
                Thread.SpinWait(1);
            }

            _times[worker * 2] = Stopwatch.GetTimestamp();
            work(worker);
            _times[(worker * 2) + 1] = Stopwatch.GetTimestamp();
            _ends.Release();
        }
    }
}
