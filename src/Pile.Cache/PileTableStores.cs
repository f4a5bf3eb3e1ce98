// The door to views of a table that stands before a store.
// What a view does is PileBackedTable's.
using System;

namespace Pile.Cache;

/// <summary>Tables before stores.</summary>
public static class PileTableStores
{
    /// <summary>A view of a table that reads through, writes through and deletes through to a store.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="store">The store.</param>
    /// <param name="options">How loads behave, and the terms of entries, of those too that a Set of the view stores; null for the table's <see cref="PileTableOptions.Factory"/>.</param>
    /// <exception cref="ArgumentNullException">The table or the store is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    public static PileBackedTable<TKey, TValue> WithStore<TKey, TValue>(this PileTable<TKey, TValue> table, IPileStore<TKey, TValue> store, PileFactoryOptions? options = null)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentNullException.ThrowIfNull(store);
        options ??= table.Parts.Options.Factory ?? new PileFactoryOptions();
        options.Validate();
        return new PileBackedTable<TKey, TValue>(table, store, options);
    }
}
