// What is behind a table: where its values come from, and where they are written to. A database, a service, another cache.
// A program's own; the cache calls it for one key at a time.
using System;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Cache;

/// <summary>A store that a table stands before (<see cref="PileTableStores.WithStore"/>).</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
/// <remarks>Called by many threads, for one key by one call at a time, as long as all writes go through tables with this store in one process: a load may
/// be under way still when a write begins, and is then not kept. A store that does not await returns completed tasks. One that can't do something throws a
/// <see cref="NotSupportedException"/>.</remarks>
public interface IPileStore<TKey, TValue>
    where TKey : notnull
    where TValue : notnull
{
    /// <summary>Loads the value of a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Cancelled when nobody waits for the value any more.</param>
    /// <returns>The value with the terms of its entry, or that there is none and how long that is remembered.</returns>
    ValueTask<PileAnswer<TValue>> LoadAsync(TKey key, CancellationToken cancellationToken);

    /// <summary>Stores a value. When it returns, loads find it.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="cancellationToken">The caller's.</param>
    ValueTask SaveAsync(TKey key, TValue value, CancellationToken cancellationToken);

    /// <summary>Deletes the value of a key, if there is one. When it returns, loads find none.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">The caller's.</param>
    ValueTask DeleteAsync(TKey key, CancellationToken cancellationToken);
}
