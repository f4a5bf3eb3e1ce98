// A table before a store: what is missing is loaded, what is stored is written to the store first. A view: it holds nothing itself, and all views of
// a table keep its order.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Factories;

namespace Pile.Cache;

/// <summary>A table that reads through, writes through and deletes through.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
/// <remarks>
/// <para>All members are thread-safe. A read that finds no entry loads the value as GetOrAdd lets a factory make it: one load at a time for a key, and all
/// that <see cref="PileFactoryOptions"/> say.</para>
/// <para>A write is made in the store first and then in the table. Writes of one key come one after the other, in the same order to both; until a write has
/// returned, reads may find what was there before. When the store throws, or is cancelled, what it has is not known: the exception is the caller's, and the
/// table has no entry of the key, so that the next read loads. Where the table has no room the value is in the store alone.</para>
/// <para>What is changed in the table or in the store by another way is not kept in this order.</para>
/// <para>A synchronous call blocks its thread while the store awaits.</para>
/// </remarks>
public sealed class PileBackedTable<TKey, TValue>
    where TKey : notnull
    where TValue : notnull
{
    private readonly PileFactoryOptions _options;
    private readonly StoreWrites<TKey, TValue> _writes;

    internal PileBackedTable(PileTable<TKey, TValue> table, IPileStore<TKey, TValue> store, PileFactoryOptions options)
    {
        Table = table;
        Store = store;
        _options = options;
        _writes = new StoreWrites<TKey, TValue>(table, store, options);
    }

    /// <summary>The table.</summary>
    public PileTable<TKey, TValue> Table { get; }

    /// <summary>The store.</summary>
    public IPileStore<TKey, TValue> Store { get; }

    /// <summary>Reads a value, from the table or else from the store.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; default when false.</param>
    /// <returns>Whether there is one.</returns>
    /// <exception cref="ArgumentNullException">The key is null.</exception>
    /// <exception cref="TimeoutException">The load took longer than <see cref="PileFactoryOptions.HardTimeout"/>.</exception>
    /// <exception cref="PileFactoryException">The load had failed, and that is remembered.</exception>
    /// <exception cref="PileTypeMismatchException">As for <see cref="PileTableGetOrAdd.GetOrAdd{TKey, TValue}"/>: an entry of a durable table can't be read.</exception>
    /// <exception cref="PileUnknownTypeException">Likewise.</exception>
    /// <exception cref="InvalidOperationException">The store asked for the key that it is loading or writing.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>What the store throws comes through, and what a codec's Read does. A hit costs what it costs the table.</remarks>
    public bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value) =>
        (_options.EagerRefresh is null && Table.Factories.TryGet(key, out value)) || TryLoad(key, out value);

    /// <summary>Reads a value, from the table or else from the store.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Ends this call's waiting, not that of others.</param>
    /// <returns>The value, or that there is none, and whether it was served past its end.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled while the call waited, or the store cancelled itself.</exception>
    /// <inheritdoc cref="TryGet"/>
    public ValueTask<PileAnswer<TValue>> TryGetAsync(TKey key, CancellationToken cancellationToken = default) =>
        Table.TryGetOrAddAsync(key, Store, static (key, store, token) => store.LoadAsync(key, token), _options, cancellationToken);

    /// <summary>Stores a value: in the store, then in the table.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; the table has a copy.</param>
    /// <param name="options">The entry's terms; null for those of the view's options. Checked before the store is called.</param>
    /// <returns>What became of it in the table. Full: it is in the store alone.</returns>
    /// <exception cref="ArgumentNullException">Key or value is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The key is too long, or an end is out of its range.</exception>
    /// <exception cref="InvalidOperationException">The store wrote the key that it is loading or writing, or two writes within writes would wait for each other.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>What the store throws comes through, and the table has no entry of the key then.</remarks>
    public PileSetResult Set(TKey key, TValue value, PileEntryOptions? options = null) => Wait(() => _writes.SetAsync(key, value, options, CancellationToken.None));

    /// <summary>Stores a value: in the store, then in the table.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value; the table has a copy.</param>
    /// <param name="options">The entry's terms; null for those of the view's options. Checked before the store is called.</param>
    /// <param name="cancellationToken">Given to the store. Cancelled before the store is called, it changes nothing.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled, or the store cancelled itself.</exception>
    /// <inheritdoc cref="Set"/>
    public Task<PileSetResult> SetAsync(TKey key, TValue value, PileEntryOptions? options = null, CancellationToken cancellationToken = default) =>
        _writes.SetAsync(key, value, options, cancellationToken);

    /// <summary>Removes a value: from the store, then from the table.</summary>
    /// <param name="key">The key.</param>
    /// <returns>Whether the table had an entry of it that had not ended.</returns>
    /// <exception cref="ArgumentNullException">The key is null.</exception>
    /// <exception cref="InvalidOperationException">As for <see cref="Set"/>.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <remarks>What the store throws comes through, and the table has no entry of the key then.</remarks>
    public bool Remove(TKey key) => Wait(() => _writes.RemoveAsync(key, CancellationToken.None));

    /// <summary>Removes a value: from the store, then from the table.</summary>
    /// <param name="key">The key.</param>
    /// <param name="cancellationToken">Given to the store. Cancelled before the store is called, it changes nothing.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled, or the store cancelled itself.</exception>
    /// <inheritdoc cref="Remove"/>
    public Task<bool> RemoveAsync(TKey key, CancellationToken cancellationToken = default) => _writes.RemoveAsync(key, cancellationToken);

    /// <summary>Waits on the calling thread. Where it has a context that awaits come back to, the work is done on the thread pool: the thread is not there for them.</summary>
    private static TResult Wait<TResult>(Func<Task<TResult>> work) =>
        (AwaitContext.IsThere ? Task.Run(work) : work()).GetAwaiter().GetResult();

    // Apart from the caller: what a load needs is captured here, and a hit allocates nothing.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryLoad(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        ValueTask<PileAnswer<TValue>> Load(CancellationToken token) => Store.LoadAsync(key, token);

        if (PileTableGetOrAdd.TryGetEagerly(Table, key, Load, _options, out value))
        {
            return true;
        }

        PileAnswer<TValue> answer = Table.Factories.Ask(key, Load, _options, mayBeNothing: true, mayAwait: true);
        value = answer.Value;
        return answer.HasValue;
    }
}
