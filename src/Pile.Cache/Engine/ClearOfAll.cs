// The clear of all tables of a cache, one after the other, each whatever became of those before: what one of them refuses keeps no other's entries.
// Which tables there are is PileCache's business.
using System;
using System.Runtime.ExceptionServices;

namespace Pile.Cache.Engine;

/// <summary>One clear of all tables. For one thread.</summary>
/// <param name="hasEnded">Whether the cache has ended.</param>
internal sealed class ClearOfAll(Func<bool> hasEnded)
{
    private ExceptionDispatchInfo? _first;

    /// <summary>Clears a table. One that is over, in a cache that is not, was dropped meanwhile and has nothing to clear.</summary>
    internal void Clear(Action clear)
    {
        try
        {
            clear();
        }
        catch (ObjectDisposedException) when (!hasEnded())
        {
            // Whoever dropped it removes its entries.
        }
        catch (Exception failure)
        {
            _first ??= ExceptionDispatchInfo.Capture(failure);
        }
    }

    /// <summary>Throws what kept the first table from being cleared that was not.</summary>
    internal void ThrowFirst() => _first?.Throw();
}
