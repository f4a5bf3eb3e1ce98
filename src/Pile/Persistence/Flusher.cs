// Flushes: makes everything stored so far durable, numbers it, and lets many callers wait for one. The first caller that needs a
// flush runs it; who comes meanwhile waits for the next, which one of them runs for all (group commit). A thread of its own
// flushes in the background. A failed sync ends all writing: what the kernel dropped can't be had back by trying again.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Diagnostics;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>The flusher of one pile. Thread-safe.</summary>
internal sealed class Flusher : IDisposable
{
    private readonly object _gate = new();
    private readonly FlushClock _clock;
    private readonly ILogFiles _log;
    private readonly TimeSpan _interval;
    private readonly List<(long Flush, TaskCompletionSource Done)> _waiters = [];
    private readonly AutoResetEvent _wake = new(initialState: false);
    private Thread? _thread;
    private Exception? _failure;
    private bool _isRunning;
    private volatile bool _isStopped;

    /// <summary>Prepares a flusher; <see cref="Start"/> begins its thread.</summary>
    /// <param name="clock">Counts the flushes.</param>
    /// <param name="log">What is flushed.</param>
    /// <param name="interval">How often the thread flushes; infinite for only on demand.</param>
    internal Flusher(FlushClock clock, ILogFiles log, TimeSpan interval)
    {
        _clock = clock;
        _log = log;
        _interval = interval;
        clock.Wanted = Wake;
    }

    /// <summary>The first failure, if one ended all writing.</summary>
    internal Exception? Failure => Volatile.Read(ref _failure);

    /// <summary>Ends all writing because of a failure elsewhere in the files.</summary>
    internal void Fail(Exception failure)
    {
        if (Interlocked.CompareExchange(ref _failure, failure, null) is null)
        {
            _log.Poison(_clock.Started + 1, failure);
            PileEventSource.Log.FlushFailed(_clock.Started + 1, failure.Message);
        }
    }

    /// <summary>Begins flushing in the background.</summary>
    internal void Start()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "Pile flusher" };
        _thread.Start();
    }

    /// <summary>Returns when everything stored before the call is durable.</summary>
    /// <exception cref="PilePoisonedException">A sync failed, now or before.</exception>
    internal void Commit()
    {
        lock (_gate)
        {
            long needed = _clock.Started + 1;
            while (_clock.Completed < needed)
            {
                ThrowIfFailed();
                if (_isStopped)
                {
                    Throw.Disposed();
                }

                if (_isRunning)
                {
                    _ = Monitor.Wait(_gate);
                    continue;
                }

                RunLocked();
            }
        }
    }

    /// <summary>As <see cref="Commit"/>, without a thread that waits.</summary>
    internal Task CommitAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource done;
        lock (_gate)
        {
            if (Failure is { } failure)
            {
                return Task.FromException(_log.Poisoned(failure));
            }

            if (_isStopped)
            {
                Throw.Disposed();
            }

            done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _waiters.Add((_clock.Started + 1, done));
        }

        Wake();
        return done.Task.WaitAsync(cancellationToken);
    }

    /// <summary>Ends the thread. Commits that wait get their flush first.</summary>
    internal void Stop()
    {
        _isStopped = true;
        Wake();
        if (_thread is { } thread && thread != Thread.CurrentThread)
        {
            thread.Join();
        }

        lock (_gate)
        {
            // A caller of Commit may be running one: the files stay open for it.
            while (_isRunning)
            {
                _ = Monitor.Wait(_gate);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Stop();
        _wake.Dispose();
    }

    private void Wake() => _wake.Set();

    private void Run()
    {
        while (!_isStopped)
        {
            bool isAsked = _wake.WaitOne(_interval);
            lock (_gate)
            {
                if (!_isRunning && Failure is null && (isAsked || _log.HasUnflushed))
                {
                    RunLocked();
                }
            }
        }

        lock (_gate)
        {
            if (!_isRunning && Failure is null && _waiters.Count > 0)
            {
                RunLocked();
            }
        }
    }

    /// <summary>Runs one flush, the lock given back meanwhile.</summary>
    private void RunLocked()
    {
        _isRunning = true;
        long flush = _clock.Begin();
        Monitor.Exit(_gate);
        Exception? failure = null;
        bool isDone = false;
        try
        {
            _log.Flush(flush);
            isDone = true;
        }
#pragma warning disable CA1031 // Whatever ended a flush: from now on every write and commit says so, with the first failure inside.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            failure = exception;
            _ = Interlocked.CompareExchange(ref _failure, exception, null);
            _log.Poison(flush, exception);
            PileEventSource.Log.FlushFailed(flush, exception.Message);
        }
        finally
        {
            Monitor.Enter(_gate);
            _isRunning = false;
            if (isDone)
            {
                _clock.Complete(flush);
                _log.Flushed();
            }

            Tell(flush, failure);
            Monitor.PulseAll(_gate);
        }
    }

    private void Tell(long flush, Exception? failure)
    {
        for (int index = _waiters.Count - 1; index >= 0; index--)
        {
            (long needed, TaskCompletionSource done) = _waiters[index];
            if (failure is null && needed > flush)
            {
                continue;
            }

            _waiters.RemoveAt(index);
            if (failure is null)
            {
                done.SetResult();
            }
            else
            {
                done.SetException(_log.Poisoned(failure));
            }
        }
    }

    private void ThrowIfFailed()
    {
        if (Failure is { } failure)
        {
            throw _log.Poisoned(failure);
        }
    }
}
