// Lists of a table while others go on. Keys and values are copies; nothing is held between two steps but the wish that buckets are not merged.
// How a table is walked is ItemSteps' business.
using System;
using System.Collections.Generic;
using Pile.Cache.Engine;

namespace Pile.Cache;

/// <summary>Enumeration of tables.</summary>
public static class PileTableItems
{
    /// <summary>All entries that have not ended, in no order, while others write: one that is there throughout is met exactly once, with
    /// one of the values that it had meanwhile; one that comes or goes at most once.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <returns>Copies of keys and values. foreach disposes the enumeration; whoever steps through it by hand must, for until then the
    /// index does not shrink.</returns>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <exception cref="PileTypeMismatchException">The entry was stored as another type, or as one that has changed since. Thrown, as the others of one entry, by
    /// the step that meets it.</exception>
    /// <exception cref="PileUnknownTypeException">The entry's type is one that the program has not shown to the pile.</exception>
    /// <remarks>Counts as no use of the entries. Memory: the entries of a few buckets. After an entry that can't be read, because of its type or because a codec
    /// throws, the next <c>MoveNext</c> goes on behind it: foreach ends there, and whoever steps by hand and catches meets all others. <c>Current</c> has
    /// its key then, and no value; default where the key can't be read either.</remarks>
    public static IEnumerable<KeyValuePair<TKey, TValue>> Enumerate<TKey, TValue>(this PileTable<TKey, TValue> table)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        return new Listing<KeyValuePair<TKey, TValue>>(() => new ItemSteps<TKey, TValue>(table));
    }
}
