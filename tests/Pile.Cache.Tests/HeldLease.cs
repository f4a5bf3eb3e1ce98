// A lease that a thread of its own holds until this is disposed.
// The value is never looked at: what counts is that somebody is inside.
using System;
using System.Threading;

namespace Pile.Cache.Tests;

internal sealed class HeldLease<TKey> : IDisposable
    where TKey : notnull
{
    private readonly ManualResetEventSlim _held = new();
    private readonly ManualResetEventSlim _end = new();
    private readonly Thread _thread;

    internal HeldLease(PileTable<TKey, int> table, TKey key)
    {
        _thread = new Thread(() =>
        {
            bool isThere = table.TryLease(key, out PileLease lease);
            _held.Set();
            _end.Wait();
            if (isThere)
            {
                lease.Dispose();
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
