// A read among others: what it makes of the value is made while the bytes are in the buffer that they came in.
// A reader that throws fails its own call.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>A read that waits.</summary>
internal sealed class GetItem<TState, TResult> : PendingResult<TResult>
{
    private ItemReader<TState, TResult>? _read;

    [AllowNull]
    private TState _state;

    internal static GetItem<TState, TResult> Rent(ServerLink link, TState state, ItemReader<TState, TResult> read)
    {
        GetItem<TState, TResult> item = ItemPool<GetItem<TState, TResult>>.Rent();
        item._state = state;
        item._read = read;
        item.Begin(link);
        return item;
    }

    /// <inheritdoc/>
    internal override void Answer(bool isThere, ReadOnlySpan<byte> value)
    {
        if (!TryTake())
        {
            return;
        }

        TResult result;
        try
        {
            result = _read!(isThere, value, _state!);
        }
        catch (Exception failure)
        {
            FailTaken(failure);
            return;
        }

        Succeed(result);
    }

    /// <inheritdoc/>
    protected override void Recycle()
    {
        _read = null;
        _state = default;
        Reset();
        _ = ItemPool<GetItem<TState, TResult>>.Return(this);
    }
}
