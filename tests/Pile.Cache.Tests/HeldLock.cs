// A lock that a thread of its own holds until this is disposed.
// Whoever would wait for it, or goes on without it, does so meanwhile.
using System;
using System.Threading;

namespace Pile.Cache.Tests;

internal sealed class HeldLock : IDisposable
{
    private readonly ManualResetEventSlim _held = new();
    private readonly ManualResetEventSlim _end = new();
    private readonly Thread _thread;

    internal HeldLock(Lock held)
    {
        _thread = new Thread(() =>
        {
            lock (held)
            {
                _held.Set();
                _end.Wait();
            }
        });
        _thread.Start();
        _held.Wait();
    }

    public void Dispose()
    {
        _end.Set();
        _thread.Join();
        _held.Dispose();
        _end.Dispose();
    }
}
