// A thread that waits for a flush. Each is told by itself, so that those who are told at the same time do not queue for one lock; and some
// tell others in their turn, because to wake a thread takes a while, which several processors can spend at the same time.
// Who tells it what, and that it is told once for each wait, is the flusher's to see to.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>One waiting thread, which waits for one flush at a time. Its thread calls Wait, any other Tell, one after the other.</summary>
/// <param name="parker">Where its thread waits.</param>
internal sealed class CommitWaiter(Parker parker)
{
    [ThreadStatic]
    private static CommitWaiter? _mine;

    private int _turn;
    private CommitWaiter? _next;

    /// <summary>The calling thread's own.</summary>
    internal static CommitWaiter Mine => _mine ??= new CommitWaiter(Parker.Create());

    /// <summary>Tells the thread its turn.</summary>
    internal void Tell(CommitTurn turn)
    {
        Volatile.Write(ref _turn, (int)turn);
        parker.Unpark();
    }

    /// <summary>Tells threads to return: a few by the caller, who tell the rest.</summary>
    /// <param name="waiters">The threads. Free again when this returns.</param>
    /// <param name="carriersMax">How many of them tell others, at the most: more than processors beside the caller's gain nothing.</param>
    internal static void TellAll(List<CommitWaiter> waiters, int carriersMax)
    {
        // One behind the other, in as many rows as there are carriers, and one of the caller's own. Linked before anybody is told.
        int carriers = int.Min(waiters.Count, carriersMax);
        int rows = carriers + 1;
        for (int index = 0; index < waiters.Count; index++)
        {
            waiters[index]._next = index + rows < waiters.Count ? waiters[index + rows] : null;
        }

        CommitWaiter? own = carriers < waiters.Count ? waiters[carriers] : null;
        for (int index = 0; index < carriers; index++)
        {
            waiters[index].Tell(CommitTurn.Return);
        }

        TellRow(own);
    }

    /// <summary>Ends tasks: with what a failure makes of each, else with the want of memory that left their flush incomplete, or without either.</summary>
    internal static void TellAll(List<TaskCompletionSource> tasks, Exception? failure, OutOfMemoryException? want, ILogFiles log)
    {
        for (int told = 0; told < tasks.Count;)
        {
            try
            {
                Exception? end = failure is null ? want : log.Poisoned(failure);
                _ = end is null ? tasks[told].TrySetResult() : tasks[told].TrySetException(end);
                told++;
            }
            catch (OutOfMemoryException)
            {
                // Who waits is told once there is memory; an exception here would end the flusher's thread, and the process.
                _ = Thread.Yield();
            }
        }
    }

    /// <summary>Waits for the turn, and takes it.</summary>
    /// <param name="wait">How long at the most; infinite for as long as it takes.</param>
    /// <returns>It; None when the time is over.</returns>
    internal CommitTurn Wait(TimeSpan wait)
    {
        if (!parker.Park(wait))
        {
            return CommitTurn.None;
        }

        // The turn first: who wakes by an earlier telling may be about to be linked to others, and only Return says that it is.
        var turn = (CommitTurn)Interlocked.Exchange(ref _turn, (int)CommitTurn.None);
        if (turn == CommitTurn.Return)
        {
            CommitWaiter? row = _next;
            _next = null;
            TellRow(row);
        }

        return turn;
    }

    // Who is told may wait again at once, and be linked anew: it is unlinked before.
    private static void TellRow(CommitWaiter? row)
    {
        while (row is { } waiter)
        {
            row = waiter._next;
            waiter._next = null;
            waiter.Tell(CommitTurn.Return);
        }
    }
}
