using System;
using System.Collections.Generic;
using System.Threading;

namespace Pile.Tests.Model;

/// <summary>Threads that start together; the first failure stops those that look, and is thrown when all have ended.</summary>
internal sealed class Crew : IDisposable
{
    private readonly List<Thread> _threads = [];
    private readonly Barrier _start = new(1);
    private Exception? _failure;
    private volatile bool _stop;

    /// <summary>Whether work without an end of its own should end.</summary>
    internal bool IsStopping => _stop;

    /// <summary>Adds a thread; not started yet.</summary>
    internal void Add(string name, Action work)
    {
        _start.AddParticipant();
        _threads.Add(new Thread(() => Guard(work)) { IsBackground = true, Name = name });
    }

    /// <summary>Ends work without an end of its own. Any thread.</summary>
    internal void Stop() => _stop = true;

    /// <summary>Runs all threads to their end.</summary>
    internal void Run(string where)
    {
        _threads.ForEach(static thread => thread.Start());
        _start.SignalAndWait();
        _threads.ForEach(static thread => thread.Join());
        if (_failure is { } failure)
        {
            throw new ModelMismatchException(failure is ModelMismatchException mismatch ? mismatch.Detector : failure.GetType().Name, $"{where}: {failure.Message}", failure);
        }
    }

    public void Dispose() => _start.Dispose();

    private void Guard(Action work)
    {
        _start.SignalAndWait();
        try
        {
            work();
        }
        catch (Exception failure)
        {
            _ = Interlocked.CompareExchange(ref _failure, failure, null);
            _stop = true;
        }
    }
}
