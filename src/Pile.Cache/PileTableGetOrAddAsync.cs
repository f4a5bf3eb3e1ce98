// GetOrAdd for factories that await. A hit completes at once and allocates nothing but the value.
// The rules are PileTableGetOrAdd's; what is more here is cancellation.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Cache;

/// <summary>Reads that await the making of what is missing.</summary>
public static class PileTableGetOrAddAsync
{
    /// <summary>Reads a value, or awaits a factory that makes it, and stores it.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="factory">Makes the value of a key that has none. Called once for all who ask for the key meanwhile. Its token is cancelled
    /// when all of them have gone; what it throws, a cancellation of its own too, is thrown to all who wait.</param>
    /// <param name="options">Options; null for the table's <see cref="PileTableOptions.Factory"/>.</param>
    /// <param name="cancellationToken">Ends this call's waiting, not that of others.</param>
    /// <returns>The stored value, or the factory's. A value for which there is no room is returned all the same.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled while the call waited, or the factory cancelled itself.</exception>
    /// <inheritdoc cref="PileTableGetOrAdd.GetOrAdd{TKey, TValue}"/>
    public static ValueTask<TValue> GetOrAddAsync<TKey, TValue>(
        this PileTable<TKey, TValue> table,
        TKey key,
        Func<TKey, CancellationToken, ValueTask<TValue>> factory,
        PileFactoryOptions? options = null,
        CancellationToken cancellationToken = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(factory);
        return table.GetOrAddAsync(key, factory, static (key, make, token) => make(key, token), options, cancellationToken);
    }

    /// <summary>Reads a value, or awaits a factory that makes it with a state, and stores it, so that no closure is needed.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <typeparam name="TState">What the factory needs.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="state">Given to the factory.</param>
    /// <param name="factory">Makes the value.</param>
    /// <param name="options">Options; null for the table's.</param>
    /// <param name="cancellationToken">Ends this call's waiting, not that of others.</param>
    /// <inheritdoc cref="GetOrAddAsync{TKey, TValue}"/>
    public static ValueTask<TValue> GetOrAddAsync<TKey, TValue, TState>(
        this PileTable<TKey, TValue> table,
        TKey key,
        TState state,
        Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory,
        PileFactoryOptions? options = null,
        CancellationToken cancellationToken = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(factory);
        options ??= table.Parts.Options.Factory;
        return cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<TValue>(cancellationToken)
            : options?.EagerRefresh is null && table.Factories.TryGet(key, out TValue? value) ? new ValueTask<TValue>(value)
            : MakeAsync(table, key, state, factory, options, cancellationToken);
    }

    /// <summary>Reads a value, or awaits a factory's answer, which may be that there is none and how long that is remembered.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <typeparam name="TState">What the factory needs.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="state">Given to the factory.</param>
    /// <param name="factory">Answers with a value and its entry's terms, or that there is none.</param>
    /// <param name="options">Options; null for the table's.</param>
    /// <param name="cancellationToken">Ends this call's waiting, not that of others.</param>
    /// <returns>The answer, and whether its value was served past its end.</returns>
    /// <inheritdoc cref="GetOrAddAsync{TKey, TValue}"/>
    public static ValueTask<PileAnswer<TValue>> TryGetOrAddAsync<TKey, TValue, TState>(
        this PileTable<TKey, TValue> table,
        TKey key,
        TState state,
        Func<TKey, TState, CancellationToken, ValueTask<PileAnswer<TValue>>> factory,
        PileFactoryOptions? options = null,
        CancellationToken cancellationToken = default)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(factory);
        options ??= table.Parts.Options.Factory;
        return cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<PileAnswer<TValue>>(cancellationToken)
            : options?.EagerRefresh is null && table.Factories.TryGet(key, out TValue? value) ? new ValueTask<PileAnswer<TValue>>(new PileAnswer<TValue>(value))
            : AskAsync(table, key, state, factory, options, mayBeNothing: true, cancellationToken);
    }

    // Apart from the callers: what a factory needs is captured here, and a hit allocates nothing.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async ValueTask<TValue> MakeAsync<TKey, TValue, TState>(
        PileTable<TKey, TValue> table, TKey key, TState state, Func<TKey, TState, CancellationToken, ValueTask<TValue>> factory, PileFactoryOptions? options, CancellationToken cancellationToken)
        where TKey : notnull
        where TValue : notnull
    {
        async ValueTask<PileAnswer<TValue>> Call(TKey key, TState state, CancellationToken abandoned) =>
            PileTableGetOrAdd.Made(table, key, await factory(key, state, abandoned).ConfigureAwait(false));

        return (await AskAsync(table, key, state, Call, options, mayBeNothing: false, cancellationToken).ConfigureAwait(false)).Value!;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ValueTask<PileAnswer<TValue>> AskAsync<TKey, TValue, TState>(
        PileTable<TKey, TValue> table,
        TKey key,
        TState state,
        Func<TKey, TState, CancellationToken, ValueTask<PileAnswer<TValue>>> factory,
        PileFactoryOptions? options,
        bool mayBeNothing,
        CancellationToken cancellationToken)
        where TKey : notnull
        where TValue : notnull
    {
        ValueTask<PileAnswer<TValue>> Call(CancellationToken abandoned) => factory(key, state, abandoned);

        return PileTableGetOrAdd.TryGetEagerly(table, key, Call, options, out TValue? value)
            ? new ValueTask<PileAnswer<TValue>>(new PileAnswer<TValue>(value))
            : table.Factories.AskAsync(key, Call, options, mayBeNothing, cancellationToken);
    }
}
