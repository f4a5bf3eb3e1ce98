// A table that is asked for when it is used first. An adapter is a service, which may be made before the host has opened the cache; used
// before, it answers what HostedPileCache answers.
using System;
using System.Threading;
using Pile.Cache;

namespace Pile.Caching;

/// <summary>The table of an adapter. Thread-safe.</summary>
/// <param name="cache">Finds the cache.</param>
/// <param name="name">The table's name.</param>
/// <param name="options">Its options.</param>
internal sealed class LazyTable<TKey, TValue>(Func<PileCache> cache, string name, PileTableOptions options)
    where TKey : notnull
    where TValue : notnull
{
    private PileTable<TKey, TValue>? _table;

    /// <summary>The table.</summary>
    /// <exception cref="InvalidOperationException">The host has not opened the cache yet.</exception>
    internal PileTable<TKey, TValue> Value => Volatile.Read(ref _table) ?? Open();

    private PileTable<TKey, TValue> Open()
    {
        PileTable<TKey, TValue> table = cache().GetOrCreateTable<TKey, TValue>(name, options);
        Volatile.Write(ref _table, table);
        return table;
    }
}
