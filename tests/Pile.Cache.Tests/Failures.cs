// Runs threads side by side until the first of them has ended, and keeps what they found wrong.
// What a thread throws is a failure too.
using System;
using System.Collections.Generic;
using System.Threading;
using Xunit;

namespace Pile.Cache.Tests;

internal sealed class Failures : IDisposable
{
    private const int KeptMax = 20;

    private readonly List<string> _found = [];
    private int _ended;

    /// <summary>Whether the first thread has ended, or something was found.</summary>
    internal bool IsOver => Volatile.Read(ref _ended) != 0;

    public void Dispose() => Assert.Empty(_found);

    internal void Unless(bool isGood, string what)
    {
        if (!isGood)
        {
            lock (_found)
            {
                if (_found.Count < KeptMax)
                {
                    _found.Add(what);
                }
            }

            Volatile.Write(ref _ended, 1);
        }
    }

    internal void Run(params Action[] work)
    {
        var threads = new List<Thread>();
        for (int index = 0; index < work.Length; index++)
        {
            Action mine = work[index];
            bool isFirst = index == 0;
            var thread = new Thread(() =>
            {
                try
                {
                    mine();
                }
                catch (Exception failure) when (failure is not OutOfMemoryException)
                {
                    Unless(isGood: false, failure.ToString());
                }

                if (isFirst)
                {
                    Volatile.Write(ref _ended, 1);
                }
            });
            threads.Add(thread);
            thread.Start();
        }

        threads.ForEach(static thread => thread.Join());
        Assert.Empty(_found);
    }
}
