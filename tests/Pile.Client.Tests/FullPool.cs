using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>A thread pool without a free thread.</summary>
internal static class FullPool
{
    /// <summary>Does something in a thread of its own, while the pool has none left.</summary>
    internal static async Task WhileAsync(Action test)
    {
        ThreadPool.GetMaxThreads(out int threads, out int ports);
        var ends = new ManualResetEventSlim();
        List<Task> waiting = [];
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(test)) { IsBackground = true };
        try
        {
            Fill(ends, waiting, ports);
            thread.Start();
            Assert.True(thread.Join(TimeSpan.FromMinutes(3)), "It was not done while the pool was full.");
        }
        finally
        {
            ends.Set();
            Assert.True(ThreadPool.SetMaxThreads(threads, ports));
            await Within.AMinuteAsync(Task.WhenAll(waiting), "the end of what filled the pool");
            ends.Dispose();
        }

        Assert.Null(failure);
    }

    // As many waits as the pool may have threads for, and more: none is left.
    private static void Fill(ManualResetEventSlim ends, List<Task> waiting, int ports)
    {
        ThreadPool.GetMinThreads(out int least, out _);
        int most = int.Max(least, ThreadPool.ThreadCount);
        Assert.True(ThreadPool.SetMaxThreads(most, ports));
        for (int thread = 0; thread < most * 2; thread++)
        {
            waiting.Add(Task.Run(ends.Wait, CancellationToken.None));
        }

        Assert.True(SpinWait.SpinUntil(static () => FreeThreads() == 0, TimeSpan.FromSeconds(30)));
    }

    private static int FreeThreads()
    {
        ThreadPool.GetAvailableThreads(out int free, out _);
        return free;
    }
}
