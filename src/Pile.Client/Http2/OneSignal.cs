// What wakes the one who waits, and costs no memory. He goes on in the thread of whoever wakes him, so that a call that finds nothing under way is
// sent by its own caller.
using System;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;

namespace Pile.Client.Http2;

/// <summary>A signal of one waiter. The lock of its owner sees to it that each <see cref="Reset"/> is followed by one <see cref="Set"/> at most.</summary>
internal sealed class OneSignal : IValueTaskSource
{
    private ManualResetValueTaskSourceCore<bool> _core;

    /// <summary>What is awaited after a <see cref="Reset"/>.</summary>
    internal ValueTask Task => new(this, _core.Version);

    /// <inheritdoc/>
    public void GetResult(short token) => _core.GetResult(token);

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    /// <inheritdoc/>
    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) => _core.OnCompleted(continuation, state, token, flags);

    internal void Reset() => _core.Reset();

    internal void Set() => _core.SetResult(true);
}
