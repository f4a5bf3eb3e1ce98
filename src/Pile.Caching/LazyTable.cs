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
internal sealed class LazyTable(Func<PileCache> cache, string name, PileTableOptions options)
{
    private PileTable<string, byte[]>? _table;

    /// <summary>The table.</summary>
    /// <exception cref="InvalidOperationException">The host has not opened the cache yet.</exception>
    internal PileTable<string, byte[]> Value => Volatile.Read(ref _table) ?? Open();

    private PileTable<string, byte[]> Open()
    {
        PileTable<string, byte[]> table = cache().GetOrCreateTable<string, byte[]>(name, options);
        Volatile.Write(ref _table, table);
        return table;
    }
}
