// What wakes the one who waits, and costs no memory. He goes on in the thread of whoever wakes him, or in his own where he was woken before he waited, so that
// a call that finds nothing under way is sent by its own caller, and nothing waits for a thread of the pool.
using System;
using System.Threading;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Pile.Client.Http2;

/// <summary>A signal of one waiter, who awaits it without a context. The lock of its owner sees to it that each <see cref="Reset"/> is followed by one <see cref="Set"/> at most.</summary>
internal sealed class OneSignal : IValueTaskSource
{
    private static readonly Action<object?> _isSet = static _ => throw new InvalidOperationException("It is set.");
    private Action<object?>? _then;
    private object? _state;

    /// <summary>What is awaited after a <see cref="Reset"/>.</summary>
    internal ValueTask Task => new(this, 0);

    /// <inheritdoc/>
    public void GetResult(short token)
    {
    }

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => Volatile.Read(ref _then) == _isSet ? ValueTaskSourceStatus.Succeeded : ValueTaskSourceStatus.Pending;

    /// <inheritdoc/>
    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        _state = state;
        if (Interlocked.CompareExchange(ref _then, continuation, null) is not null)
        {
            continuation(state);
        }
    }

    internal void Reset()
    {
        _state = null;
        Volatile.Write(ref _then, null);
    }

    internal void Set()
    {
        // One step: from here on the waiter may go on, and reset it.
        if (Interlocked.Exchange(ref _then, _isSet) is { } then)
        {
            then(_state);
        }
    }
}
