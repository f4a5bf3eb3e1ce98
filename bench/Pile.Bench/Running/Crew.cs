using System;
using System.Threading;

namespace Pile.Bench.Running;

/// <summary>Two threads that run the same part of a loop each when asked to.</summary>
internal sealed class Crew : IDisposable
{
    internal const int Workers = 2;
    private readonly SemaphoreSlim[] _starts = [new(0), new(0)];
    private readonly SemaphoreSlim _ends = new(0);
    private readonly Spent[] _from = new Spent[Workers];
    private readonly Spent[] _to = new Spent[Workers];
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

    /// <summary>Runs the work on one or two workers: the wall from the first start to the last end, and the processor time of the
    /// worker that took more of it.</summary>
    internal Spent Run(int workers, Action<int> work)
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

        (double start, double end, double cpu) = (_from[0].WallNs, _to[0].WallNs, (_to[0] - _from[0]).CpuNs);
        for (int worker = 1; worker < workers; worker++)
        {
            start = double.Min(start, _from[worker].WallNs);
            end = double.Max(end, _to[worker].WallNs);
            cpu = double.Max(cpu, (_to[worker] - _from[worker]).CpuNs);
        }

        return new Spent(end - start, cpu);
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

            _from[worker] = Spent.Now();
            work(worker);
            _to[worker] = Spent.Now();
            _ends.Release();
        }
    }
}
