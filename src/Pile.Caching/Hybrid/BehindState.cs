// What one process knows of a cache behind: what is not believed of it, what is under way to it, and whose turn it is. All HybridCaches of one table
// share it, as they share the table: what one of them removes no other one may read there again.
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Pile.Cache.Engine;

namespace Pile.Caching.Hybrid;

/// <summary>What is known of the keys with one prefix, before one table.</summary>
internal sealed class BehindState
{
    private static readonly ConditionalWeakTable<TableBase, ConcurrentDictionary<string, BehindState>> _all = [];

    private BehindState()
    {
    }

    /// <summary>What is not believed after failures.</summary>
    internal Doubts Doubts { get; } = new();

    /// <summary>Tags that this process has removed: a cache behind that has no room may forget its note of a removal before the entries that it is of.</summary>
    internal Doubts RemovedTags { get; } = new();

    /// <summary>The same of all entries, with tags or without.</summary>
    internal Doubts RemovedAll { get; } = new();

    /// <summary>Changes under way.</summary>
    internal ChangesUnderWay Changes { get; } = new();

    /// <summary>Removals by tag under way.</summary>
    internal TagTurns TagTurns { get; } = new();

    /// <summary>The one of a table and a prefix.</summary>
    internal static BehindState Of(TableBase table, string prefix) =>
        _all.GetValue(table, static _ => new ConcurrentDictionary<string, BehindState>()).GetOrAdd(prefix, static _ => new BehindState());
}
