// Tells a user's progress from work that holds locks. The user's code runs beside the work, on a thread of the pool that holds nothing:
// it may write to the pile, and waits there like anybody. Of values that come faster than they are told, the newest is.
using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Pile.Heap;

/// <summary>Teller of one piece of work. Thread-safe.</summary>
/// <typeparam name="T">What is told.</typeparam>
/// <param name="progress">The user's, or null.</param>
internal sealed class ProgressTeller<T>(IProgress<T>? progress)
    where T : struct
{
    private readonly object _gate = new();
    private T? _newest;
    private bool _isTelling;
    private ExceptionDispatchInfo? _failure;

    /// <summary>Has a value told. Does not wait.</summary>
    internal void Tell(T value)
    {
        if (progress is null)
        {
            return;
        }

        lock (_gate)
        {
            bool isQueued = _newest is not null;
            _newest = value;
            if (!isQueued && !_isTelling)
            {
                _ = ThreadPool.UnsafeQueueUserWorkItem(static teller => teller.Drain(), this, preferLocal: false);
            }
        }
    }

    /// <summary>Returns when all was told; what is left is told here. The caller holds no locks.</summary>
    /// <exception cref="Exception">Whatever the user's code threw first.</exception>
    internal void End()
    {
        Drain();
        lock (_gate)
        {
            while (_isTelling)
            {
                _ = Monitor.Wait(_gate);
            }
        }

        _failure?.Throw();
    }

    private void Drain()
    {
        lock (_gate)
        {
            while (!_isTelling && _newest is { } value)
            {
                _newest = null;
                _isTelling = true;
                Monitor.Exit(_gate);
                try
                {
                    progress!.Report(value);
                }
                catch (Exception failure)
                {
                    // The user's, for the user: thrown where the work ends.
                    _failure ??= ExceptionDispatchInfo.Capture(failure);
                }
                finally
                {
                    Monitor.Enter(_gate);
                    _isTelling = false;
                    Monitor.PulseAll(_gate);
                }
            }
        }
    }
}
