// Locks that are taken whatever happens. An interrupt of the thread ends a wait for a lock by an exception, wherever that is: between a record and its
// entry, a segment and its set, a flush and those who wait for it. So it is put off: the thread meets it where it waits for something else.
// Only for locks that are held shortly, or while a call of the system lasts that no interrupt ends either.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Pile.Primitives;

/// <summary>Taking of locks without an end by an interrupt.</summary>
internal static class Gates
{
    /// <summary>Takes a lock whether or not the thread is interrupted meanwhile, which it is told at its next wait.</summary>
    /// <returns>What gives it back when disposed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static Held EnterAnyhow(this Lock gate)
    {
        if (!gate.TryEnter())
        {
            WaitAnyhow(gate);
        }

        return new Held(gate);
    }

    /// <summary>Gives way to others once, for a wait that nothing may end: <see cref="SpinWait.SpinOnce()"/> sleeps now and then, for no time at the least, and an
    /// interrupt ends that too.</summary>
    internal static void SpinAnyhow(this ref SpinWait spin)
    {
        if (spin.NextSpinWillYield)
        {
            _ = Thread.Yield();
        }
        else
        {
            spin.SpinOnce();
        }
    }

    /// <summary>Does something that waits, again from its beginning each time that an interrupt ended it, which the thread is told at its next wait.</summary>
    internal static void Anyhow(Action work)
    {
        bool isInterrupted = false;
        bool isDone = false;
        try
        {
            while (!isDone)
            {
                try
                {
                    work();
                    isDone = true;
                }
                catch (ThreadInterruptedException)
                {
                    isInterrupted = true;
                }
            }
        }
        finally
        {
            if (isInterrupted)
            {
                Thread.CurrentThread.Interrupt();
            }
        }
    }

    /// <summary>Without a delegate: who takes such a lock may be between two stores that belong together, where want of memory may throw as little as an interrupt.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void WaitAnyhow(Lock gate)
    {
        bool isInterrupted = false;
        bool isTaken = false;
        while (!isTaken)
        {
            try
            {
                gate.Enter();
                isTaken = true;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
            catch (OutOfMemoryException)
            {
                // For what the first wait for a lock needs: it is asked for until it is free.
                _ = Thread.Yield();
                isTaken = gate.TryEnter();
            }
        }

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }

    /// <summary>A lock that is held.</summary>
    /// <param name="gate">It.</param>
    internal readonly ref struct Held(Lock gate)
    {
        /// <summary>Gives it back.</summary>
        public void Dispose() => gate.Exit();
    }
}
