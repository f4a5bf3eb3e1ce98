// Clears and ends of durable tables in files that found no room for what their removals leave in the log. Their tables are empty, or gone, all the same;
// what is left goes when there is room again: the keeper looks, and so does who needs room. One that the end of the pile comes before is the next open's.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Primitives;

namespace Pile.Cache.Engine;

/// <summary>What is left of them. Thread-safe.</summary>
internal sealed class LeftClears
{
    private readonly Lock _gate = new();
    private readonly Lock _working = new();
    private readonly Queue<SlotClear> _left = new();
    private long _again;

    /// <summary>Leaves one for later.</summary>
    /// <returns>False where one of that table was left already, which does for both.</returns>
    internal bool TryAdd(SlotClear clear)
    {
        using (_gate.EnterAnyhow())
        {
            foreach (SlotClear left in _left)
            {
                if (left.Table == clear.Table)
                {
                    return false;
                }
            }

            _left.Enqueue(clear);
            return true;
        }
    }

    /// <summary>As <see cref="TryGoOn"/>, for the keeper: where nothing could be removed it looks again after some times as long as that took.</summary>
    internal void Step()
    {
        long begun = TimeProvider.System.GetTimestamp();
        if (begun < _again || First() is not { } first)
        {
            return;
        }

        long removed = first.Removed;
        if (!TryGoOn() && first.Removed == removed)
        {
            long end = TimeProvider.System.GetTimestamp();
            _again = end + ((end - begun) * CacheLimits.LeftClearRests);
        }
    }

    /// <summary>Goes on, unless somebody is at it. Called without any lock that others wait for.</summary>
    /// <returns>Whether any came to its end, so that there is room.</returns>
    internal bool TryGoOn()
    {
        if (First() is null || _working.IsHeldByCurrentThread || !_working.TryEnter())
        {
            return false;
        }

        bool isAny = false;
        try
        {
            while (Take() is { } left && GoesOn(left))
            {
                isAny = true;
            }

            return isAny;
        }
        finally
        {
            _working.Exit();
        }
    }

    /// <summary>Goes on with one that is in the queue no more: what finds no room meanwhile is left beside it. Where it is not done it comes last, and another is next.</summary>
    private bool GoesOn(SlotClear left)
    {
        bool isDone = false;
        try
        {
            isDone = left.TryGoOn();
        }
        finally
        {
            if (!isDone && !TryAdd(left))
            {
                left.Settle();
            }
        }

        return isDone;
    }

    private SlotClear? First()
    {
        using (_gate.EnterAnyhow())
        {
            return _left.Count == 0 ? null : _left.Peek();
        }
    }

    private SlotClear? Take()
    {
        using (_gate.EnterAnyhow())
        {
            return _left.Count == 0 ? null : _left.Dequeue();
        }
    }
}
