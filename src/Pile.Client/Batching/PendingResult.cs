// A call with a result that its caller awaits. What comes after the await runs on the pool, never on the thread that reads replies: code of
// the caller that waits for another call would wait for itself. Not so where the caller is a thread that is blocked until then: nothing of its
// program is behind the await, and a pool that is full of such threads would never come to wake one.
using System;
using System.Threading.Tasks;
using System.Threading.Tasks.Sources;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>A call that ends with a result.</summary>
internal abstract class PendingResult<TResult> : PendingItem, IValueTaskSource<TResult>
{
    private ManualResetValueTaskSourceCore<TResult> _core = new() { RunContinuationsAsynchronously = true };

    /// <summary>What the caller awaits, once.</summary>
    internal ValueTask<TResult> Task => new(this, _core.Version);

    /// <inheritdoc/>
    public TResult GetResult(short token)
    {
        if (_core.GetStatus(token) == ValueTaskSourceStatus.Pending)
        {
            throw new InvalidOperationException("The call is not done: a ValueTask is awaited, or turned into a Task, before its result is asked for.");
        }

        Unregister();
        try
        {
            return _core.GetResult(token);
        }
        finally
        {
            Release();
        }
    }

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

    /// <inheritdoc/>
    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) => _core.OnCompleted(continuation, state, token, flags);

    /// <inheritdoc/>
    internal override void Fail(Exception failure)
    {
        if (TryTake())
        {
            _core.SetException(failure);
        }
    }

    /// <summary>Begins a call on a link.</summary>
    protected void Begin(ServerLink link)
    {
        _core.RunContinuationsAsynchronously = !link.IsBlocking;
        Begin(link.Time.GetTimestamp());
    }

    protected void Succeed(TResult result) => _core.SetResult(result);

    protected void FailTaken(Exception failure) => _core.SetException(failure);

    protected void Reset() => _core.Reset();
}
