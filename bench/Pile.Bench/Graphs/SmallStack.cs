using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Pile.Bench.Graphs;

/// <summary>A thread with a stack of its own size, which stays for all rounds: what a codec keeps for a thread is warm, as it is
/// for the other workloads.</summary>
internal sealed class SmallStack : IDisposable
{
    private readonly SemaphoreSlim _given = new(0);
    private readonly SemaphoreSlim _done = new(0);
    private readonly Thread _thread;
    private Action? _work;
    private ExceptionDispatchInfo? _failure;

    internal SmallStack(int bytes)
    {
        _thread = new Thread(Serve, bytes) { IsBackground = true, Name = "small stack" };
        _thread.Start();
    }

    /// <summary>Runs something on it, and waits.</summary>
    internal void Run(Action work)
    {
        _work = work;
        _given.Release();
        _done.Wait();
        _failure?.Throw();
    }

    public void Dispose()
    {
        _work = null;
        _given.Release();
        _thread.Join();
        _given.Dispose();
        _done.Dispose();
    }

    private void Serve()
    {
        for (_given.Wait(); _work is { } work; _given.Wait())
        {
            try
            {
                work();
            }
            catch (Exception failure)
            {
                _failure = ExceptionDispatchInfo.Capture(failure);
            }

            _done.Release();
        }
    }
}
