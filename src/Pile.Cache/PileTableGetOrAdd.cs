// Read, or let a factory make the value and store it: one factory call per key at a time, whoever asks. What a value's entry is like and
// what is served while the factory is slow or fails, PileFactoryOptions says. The asynchronous ones are PileTableGetOrAddAsync.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Factories;

namespace Pile.Cache;

/// <summary>Reads that make what is missing.</summary>
public static class PileTableGetOrAdd
{
    /// <summary>Reads a value, or lets a factory make it and stores it.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="factory">Makes the value of a key that has none. Called once for all who ask for the key meanwhile, on the thread of the
    /// first, or on the thread pool where a timeout is set or it runs in the background. What it throws is thrown to all who wait.</param>
    /// <param name="options">Options; null for the table's <see cref="PileTableOptions.Factory"/>.</param>
    /// <returns>The stored value, or the factory's. A value for which there is no room is returned all the same.</returns>
    /// <exception cref="ArgumentNullException">Key or factory is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    /// <exception cref="InvalidOperationException">The factory asked for its own key, or returned null.</exception>
    /// <exception cref="TimeoutException">The factory took longer than <see cref="PileFactoryOptions.HardTimeout"/>.</exception>
    /// <exception cref="PileFactoryException">The factory had failed, and that is remembered.</exception>
    /// <exception cref="PileTypeMismatchException">The table is durable, and the entry was stored as bytes that are no TValue: its type may have changed since.</exception>
    /// <exception cref="PileUnknownTypeException">The table is durable, and the entry's type is one that the program has not shown to the pile. A speculative table's
    /// factory makes what either of the two would be thrown for anew.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped; also while the factory ran.</exception>
    /// <remarks>Thread-safe. A hit costs what TryGet costs and allocates no more. What a codec's Read throws comes through, unless the entry has ended.
    /// Keys of others are not waited for in a circle: where that would happen, the factory is called again instead.</remarks>
    public static TValue GetOrAdd<TKey, TValue>(this PileTable<TKey, TValue> table, TKey key, Func<TKey, TValue> factory, PileFactoryOptions? options = null)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(factory);
        return table.GetOrAdd(key, factory, static (key, make) => make(key), options);
    }

    /// <summary>Reads a value, or lets a factory make it with a state and stores it, so that no closure is needed.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <typeparam name="TState">What the factory needs.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="state">Given to the factory.</param>
    /// <param name="factory">Makes the value.</param>
    /// <param name="options">Options; null for the table's.</param>
    /// <inheritdoc cref="GetOrAdd{TKey, TValue}"/>
    public static TValue GetOrAdd<TKey, TValue, TState>(
        this PileTable<TKey, TValue> table, TKey key, TState state, Func<TKey, TState, TValue> factory, PileFactoryOptions? options = null)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(factory);
        options ??= table.Parts.Options.Factory;
        return options?.EagerRefresh is null && table.Factories.TryGet(key, out TValue? value) ? value : Make(table, key, state, factory, options);
    }

    /// <summary>Reads a value, or lets a factory answer, which may be that there is none and how long that is remembered.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <typeparam name="TState">What the factory needs.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="state">Given to the factory.</param>
    /// <param name="factory">Answers with a value and its entry's terms, or that there is none.</param>
    /// <param name="value">The value; default when false.</param>
    /// <param name="options">Options; null for the table's.</param>
    /// <returns>Whether there is a value.</returns>
    /// <inheritdoc cref="GetOrAdd{TKey, TValue}"/>
    public static bool TryGetOrAdd<TKey, TValue, TState>(
        this PileTable<TKey, TValue> table,
        TKey key,
        TState state,
        Func<TKey, TState, PileAnswer<TValue>> factory,
        [MaybeNullWhen(false)] out TValue value,
        PileFactoryOptions? options = null)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(factory);
        options ??= table.Parts.Options.Factory;
        if (options?.EagerRefresh is null && table.Factories.TryGet(key, out value))
        {
            return true;
        }

        PileAnswer<TValue> answer = Ask(table, key, state, factory, options, mayBeNothing: true);
        value = answer.Value;
        return answer.HasValue;
    }

    /// <summary>Whether a call is a hit, of a table whose entries are refreshed ahead of their end; starts that if it is time.</summary>
    internal static bool TryGetEagerly<TKey, TValue>(
        PileTable<TKey, TValue> table, TKey key, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions? options, [MaybeNullWhen(false)] out TValue value)
        where TKey : notnull
        where TValue : notnull
    {
        value = default;
        options?.Validate();
        if (options?.EagerRefresh is not { } part || !table.TryLeaseAt(key, oldestMs: 0, out PileLease lease, out long location))
        {
            return false;
        }

        EntryInfo info = table.Core.InfoOf(location);
        bool isRead;
        try
        {
            isRead = table.Read(lease, out value);
        }
        catch (PileException unreadable) when (table.IsMissOver(unreadable))
        {
            return false;
        }

        long created = CacheClock.ToTicks(info.Version.CreatedMs);
        if (info.EndTicks != EntryTerms.Never && table.Parts.Clock.Now - created >= (long)((info.EndTicks - created) * part))
        {
            table.Factories.Refresh(key, factory, options, info.Version);
        }

        return isRead;
    }

    /// <summary>What a factory made that answers with plain values.</summary>
    /// <exception cref="InvalidOperationException">It is null.</exception>
    internal static PileAnswer<TValue> Made<TKey, TValue>(PileTable<TKey, TValue> table, TKey key, TValue value)
        where TKey : notnull
        where TValue : notnull => value is null
        ? throw new InvalidOperationException(
            $"The factory of the key '{FactoryStore<TKey, TValue>.Shown(key)}' in the table '{table.Name}' returned null. A factory that may have no value answers with a PileAnswer: use TryGetOrAdd.")
        : new PileAnswer<TValue>(value);

    // Apart from the callers: what a factory needs is captured here, and a hit allocates nothing.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static TValue Make<TKey, TValue, TState>(PileTable<TKey, TValue> table, TKey key, TState state, Func<TKey, TState, TValue> factory, PileFactoryOptions? options)
        where TKey : notnull
        where TValue : notnull => Ask(table, key, state, (key, state) => Made(table, key, factory(key, state)), options, mayBeNothing: false).Value!;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static PileAnswer<TValue> Ask<TKey, TValue, TState>(
        PileTable<TKey, TValue> table, TKey key, TState state, Func<TKey, TState, PileAnswer<TValue>> factory, PileFactoryOptions? options, bool mayBeNothing)
        where TKey : notnull
        where TValue : notnull
    {
        ValueTask<PileAnswer<TValue>> Call(CancellationToken abandoned) => new(factory(key, state));

        return TryGetEagerly(table, key, Call, options, out TValue? value) ? new PileAnswer<TValue>(value) : table.Factories.Ask(key, Call, options, mayBeNothing);
    }
}
