// A thread that waits for a flush. Each is told by itself, so that those who are told at the same time do not queue for one lock.
// Who tells it what, and that it is told once for each wait, is the flusher's to see to.
using System;
using System.Threading;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>One waiting thread, which waits for one flush at a time. Its thread calls Wait, any other Tell, one after the other.</summary>
internal sealed class CommitWaiter
{
    [ThreadStatic]
    private static CommitWaiter? _mine;

    private readonly Parker _parker = Parker.Create();
    private int _turn;

    /// <summary>The calling thread's own.</summary>
    internal static CommitWaiter Mine => _mine ??= new CommitWaiter();

    /// <summary>Tells the thread its turn.</summary>
    internal void Tell(CommitTurn turn)
    {
        Volatile.Write(ref _turn, (int)turn);
        _parker.Unpark();
    }

    /// <summary>Waits for the turn, and takes it.</summary>
    /// <param name="wait">How long at the most; infinite for as long as it takes.</param>
    /// <returns>It; None when the time is over.</returns>
    internal CommitTurn Wait(TimeSpan wait) =>
        _parker.Park(wait) ? (CommitTurn)Interlocked.Exchange(ref _turn, (int)CommitTurn.None) : CommitTurn.None;
}
