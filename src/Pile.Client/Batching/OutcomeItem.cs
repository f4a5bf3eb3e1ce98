// A store or a removal among others.
// What has no room is a failure of its call, as it is by a call of its own.
using System;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>A store or a removal that waits.</summary>
internal sealed class OutcomeItem<TResult> : PendingResult<TResult>
{
    private Func<V1.Outcome, TResult>? _read;

    internal static OutcomeItem<TResult> Rent(ServerLink link, Func<V1.Outcome, TResult> read)
    {
        OutcomeItem<TResult> item = ItemPool<OutcomeItem<TResult>>.Rent();
        item._read = read;
        item.Begin(link);
        return item;
    }

    /// <inheritdoc/>
    internal override void Answer(V1.Outcome outcome)
    {
        if (TryTake())
        {
            Succeed(_read!(outcome));
        }
    }

    /// <inheritdoc/>
    protected override void Recycle()
    {
        Reset();
        _ = ItemPool<OutcomeItem<TResult>>.Return(this);
    }
}
