// One call among others of a batch, from the caller's side: it is done once, by whoever is first of the answer, a failure, its deadline and
// its cancellation. It is used again when both the caller and the batch have let go of it; a caller who never looks keeps it for himself.
using System;
using System.Threading;

namespace Pile.Client.Batching;

/// <summary>A call that waits for its part of a batch. Thread-safe but for <see cref="Begin"/> and <see cref="Register"/>.</summary>
internal abstract class PendingItem
{
    private CancellationTokenRegistration _registration;
    private int _isDone;
    private int _holders;

    /// <summary>When the call began, as the clock's timestamp.</summary>
    internal long BeganAt { get; private set; }

    internal bool IsDone => Volatile.Read(ref _isDone) != 0;

    /// <summary>Ends the call with what became of a store or a removal.</summary>
    internal virtual void Answer(V1.Outcome outcome) => throw new NotSupportedException("The call waits for a value.");

    /// <summary>Ends the call with a value, or without one.</summary>
    internal virtual void Answer(bool isThere, ReadOnlySpan<byte> value) => throw new NotSupportedException("The call waits for an outcome.");

    /// <summary>Ends the call with a failure.</summary>
    internal abstract void Fail(Exception failure);

    /// <summary>The batch lets go of it.</summary>
    internal void Release()
    {
        if (Interlocked.Decrement(ref _holders) == 0)
        {
            Recycle();
        }
    }

    /// <summary>Ends the call when the token is cancelled. Before the caller is given the call, and after it was added to a batch.</summary>
    internal void Register(CancellationToken cancel)
    {
        if (cancel.CanBeCanceled)
        {
            _registration = cancel.UnsafeRegister(static (item, token) => ((PendingItem)item!).Fail(new OperationCanceledException(token)), this);
        }
    }

    /// <summary>Begins a call, of which the caller and a batch hold one part each.</summary>
    protected void Begin(long now)
    {
        BeganAt = now;
        _isDone = 0;
        _holders = 2;
    }

    /// <summary>Whether the caller of this is the one who ends the call.</summary>
    protected bool TryTake() => Interlocked.CompareExchange(ref _isDone, 1, 0) == 0;

    /// <summary>From here on no cancellation comes any more.</summary>
    protected void Unregister()
    {
        // Waits for one that is coming: it must not meet the next call.
        _registration.Dispose();
        _registration = default;
    }

    /// <summary>Keeps it for the next call.</summary>
    protected abstract void Recycle();
}
