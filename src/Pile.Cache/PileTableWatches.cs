// Events of a table: what became of which entry, in order, without anybody who writes waiting for those who listen.
// As a reader of a channel, and as a handler that is called.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Events;

namespace Pile.Cache;

/// <summary>Watching tables.</summary>
public static class PileTableWatches
{
    /// <summary>Watches a table: each change that takes effect after this has returned is told.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="options">Which events, and from where on; null for all from now on.</param>
    /// <returns>A reader of the events: dispose it when they are wanted no more.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>Thread-safe. The events of one key come in the order in which its changes took effect. While anybody watches, a change costs a lock
    /// and a copy of the key more, and the table holds <see cref="PileTableOptions.EventBytes"/> of managed memory, for all watches together; a reader
    /// that falls further behind than that loses the oldest events, and is told how many in their place. While nobody does, a change costs one look at
    /// a field.</remarks>
    public static PileWatch<TKey> Watch<TKey, TValue>(this PileTable<TKey, TValue> table, PileWatchOptions? options = null)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        options ??= new PileWatchOptions();
        options.Validate();
        table.ThrowIfEnded();
        TableWatchers watchers = table.Parts.Watchers;
        if (watchers.Join() is not { } ring)
        {
            table.Parts.ThrowEnded();
            return null;
        }

        return new PileWatch<TKey>(table.Cache.Pile, watchers, ring, options);
    }

    /// <summary>Calls a handler for each event of a table, one after the other, on the thread pool.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="handler">Called for each event. What it throws ends the subscription, and is the exception of
    /// <see cref="PileSubscription.Completion"/>; catch in it what is to go on.</param>
    /// <param name="options">Which events, and from where on; null for all from now on.</param>
    /// <returns>The subscription: dispose it when the events are wanted no more.</returns>
    /// <exception cref="ArgumentNullException">The handler is null.</exception>
    /// <inheritdoc cref="Watch"/>
    public static PileSubscription Subscribe<TKey, TValue>(this PileTable<TKey, TValue> table, Action<PileTableEvent<TKey>> handler, PileWatchOptions? options = null)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(handler);
        PileWatch<TKey> watch = table.Watch(options);
        // Without what flows with the caller: who subscribes within a factory is not within it for ever.
        AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        try
        {
            return new PileSubscription(watch, Task.Run(() => CallAsync(watch, handler), CancellationToken.None));
        }
        finally
        {
            flow?.Undo();
        }
    }

    private static async Task CallAsync<TKey>(PileWatch<TKey> watch, Action<PileTableEvent<TKey>> handler)
        where TKey : notnull
    {
        using (watch)
        {
            while (await watch.WaitToReadAsync().ConfigureAwait(false))
            {
                while (watch.TryRead(out PileTableEvent<TKey> told))
                {
                    handler(told);
                }
            }
        }
    }
}
