// Events that are met where something is held: a lock, a writer, the cleaner's role, the epoch, a count that others wait for. Who listens
// may call the pile, and would wait there for what its own thread holds: a thread of the pool, which holds nothing, writes them, in order.
// Not for what comes as often as somebody asks (PileFull), nor for what is told in order with a call's return (births and ends).
using System;
using System.Diagnostics.Tracing;
using System.Threading;
using System.Threading.Tasks;
using Pile.Primitives;

namespace Pile.Diagnostics;

/// <summary>Writes events beside the thread that met them. Thread-safe.</summary>
internal static class EventsAside
{
    private static readonly Lock _gate = new();
    private static Task _last = Task.CompletedTask;
    private static int _waiting;

    /// <summary>Ends when all that was told before is written.</summary>
    internal static Task Written
    {
        get
        {
            using (_gate.EnterAnyhow())
            {
                return _last;
            }
        }
    }

    /// <summary>Has an event written, where anybody listens.</summary>
    /// <param name="level">Its level.</param>
    /// <param name="write">Writes it.</param>
    internal static void Tell(EventLevel level, Action write)
    {
        if (!PileEventSource.Log.IsEnabled(level, EventKeywords.None))
        {
            return;
        }

        using (_gate.EnterAnyhow())
        {
            // Who listens slowly must not fill the memory with what was told meanwhile; the counters have it all.
            if (_waiting < Limits.EventsWaitingMax)
            {
                _last = _last.ContinueWith(_ => Write(write), CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
                _waiting++;
            }
        }
    }

    /// <summary>Has the failure of a flush written; without memory not: who tells it is the flusher's thread, whose end by an exception would be the process's.</summary>
    internal static void TellFlushFailed(long flush, Exception failure)
    {
        try
        {
            TellOf(flush, failure);
        }
        catch (OutOfMemoryException)
        {
            // It is noted where it counts.
        }
    }

    // By itself, because what a lambda captures is allocated when its method begins.
    private static void TellOf(long flush, Exception failure) => Tell(EventLevel.Error, () => PileEventSource.Log.FlushFailed(flush, failure.Message));

    private static void Write(Action write)
    {
        try
        {
            write();
        }
        finally
        {
            using (_gate.EnterAnyhow())
            {
                _waiting--;
            }
        }
    }
}
