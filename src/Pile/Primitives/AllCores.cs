// Work in pieces by all cores: the caller's thread and one for each other core. An open has no time for the thread pool to find out how
// many threads it wants, nor for its loops to be compiled, and starts its threads before there is work, since a thread starts slowly
// while others map files; and what reads a whole pile must not depend on how busy the pool is.
using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Pile.Primitives;

/// <summary>Threads that do work in pieces together with their owner, which is one thread.</summary>
internal sealed class AllCores : IDisposable
{
    private readonly List<Thread> _others = [];
    private readonly SemaphoreSlim _begin = new(0);
    private readonly SemaphoreSlim _end = new(0);
    private Action<int> _work = static _ => { };
    private Exception? _failure;
    private int _pieces;
    private int _taken;
    private bool _isEnding;

    /// <summary>Starts the threads.</summary>
    /// <param name="most">The most that will have something to do, the owner included.</param>
    internal AllCores(int most)
    {
        try
        {
            for (int other = 1; other < int.Min(Environment.ProcessorCount, most); other++)
            {
                var thread = new Thread(Serve) { IsBackground = true, Name = "Pile cores" };
                thread.Start();
                _others.Add(thread);
            }
        }
        catch (OutOfMemoryException)
        {
            // The process may have no more threads: those that began do it, and the owner.
        }
    }

    /// <summary>Threads that are of use for so much work: one for each core, none but the caller's for less than twice <paramref name="share"/>.</summary>
    /// <param name="amount">How much there is to do.</param>
    /// <param name="share">What a thread must have to do to be worth its start.</param>
    internal static int CountFor(long amount, long share) => (int)long.Clamp(amount / share, 1, Environment.ProcessorCount);

    /// <summary>Does work once and for all, with threads that are started for it: each takes the next part from what they share, until there
    /// is none.</summary>
    /// <param name="amount">How much there is to do.</param>
    /// <param name="share">What a thread must have to do to be worth its start.</param>
    /// <param name="work">Takes parts until there are no more; by several threads at once.</param>
    internal static void Share(long amount, long share, Action work)
    {
        int threads = CountFor(amount, share);
        using var cores = new AllCores(threads);
        cores.Run(threads, _ => work());
    }

    /// <summary>Does all pieces, begun in rising order. Returns when all are done; after a failure no other piece is begun, those that
    /// were are done, and the first failure is thrown.</summary>
    /// <param name="pieces">How many.</param>
    /// <param name="work">Does a piece, given its number from 0 on; by several threads at once.</param>
    internal void Run(int pieces, Action<int> work)
    {
        // The semaphores order what is stored here before the others look, and what they store before this returns.
        int helpers = int.Min(_others.Count, int.Max(0, pieces - 1));
        (_work, _pieces, _taken, _failure) = (work, pieces, 0, null);
        if (helpers > 0)
        {
            _ = _begin.Release(helpers);
        }

        Take();
        for (int helper = 0; helper < helpers; helper++)
        {
            Gates.Anyhow(_end.Wait);
        }

        if (_failure is { } failure)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    /// <summary>Ends the threads.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _isEnding, true);
        if (_others.Count > 0)
        {
            _ = _begin.Release(_others.Count);
        }

        foreach (Thread other in _others)
        {
            Gates.Anyhow(other.Join);
        }

        _begin.Dispose();
        _end.Dispose();
    }

    private void Serve()
    {
        for (_begin.Wait(); !Volatile.Read(ref _isEnding); _begin.Wait())
        {
            Take();
            _ = _end.Release();
        }
    }

    private void Take()
    {
        try
        {
            for (int piece = Interlocked.Increment(ref _taken) - 1; piece < _pieces && Volatile.Read(ref _failure) is null; piece = Interlocked.Increment(ref _taken) - 1)
            {
                _work(piece);
            }
        }
        catch (Exception failure)
        {
            // Told by the owner's thread, once all have ended.
            _ = Interlocked.CompareExchange(ref _failure, failure, null);
        }
    }
}
