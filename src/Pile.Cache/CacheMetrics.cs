// The Meter and the ActivitySource "Pile.Cache". What can be counted is polled from the tables' striped counters and costs nothing
// until someone listens; what must be timed is timed only while someone does. Names, units and tags are fixed by a test.
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Diagnostics;

namespace Pile.Cache;

/// <summary>Instruments of all caches.</summary>
internal static class CacheMetrics
{
    internal const string Name = "Pile.Cache";

    private static readonly Meter _meter = new(Name);
    private static readonly Instruments<PileCache> _instruments = new(_meter, PublishAll);

    /// <summary>The source of activities.</summary>
    internal static ActivitySource Activities { get; } = new(Name);

    /// <summary>Shows a cache to listeners until it is disposed or collected. One in files is shown aside: its first calls need not wait
    /// for what listeners load.</summary>
    internal static void Introduce(PileCache cache)
    {
        if (cache.Pile.Durable is null)
        {
            Show(cache);
        }
        else
        {
            _ = ThreadPool.UnsafeQueueUserWorkItem(static known => Show(known), cache, preferLocal: false);
        }
    }

    /// <summary>Ends <see cref="Introduce"/>.</summary>
    internal static void Leave(PileCache cache) => _instruments.Unregister(cache);

    private static void Show(PileCache cache)
    {
        if (_instruments.Register(cache) is { } failure)
        {
            PileEventSource.Log.ListenerFailed(cache.Pile.Tag, failure.ToString());
        }

        // It may have been disposed meanwhile.
        if (cache.HasEnded)
        {
            Leave(cache);
        }
    }

    private static void PublishAll(Instruments<PileCache> of)
    {
        of.Counter("pile.cache.requests", "{request}", "Reads of tables by key.", static (cache, measurements) =>
        {
            foreach (TableBase table in TablesOf(cache))
            {
                measurements.Add(Measure(cache, table, table.Counts.Hits, "pile.cache.request.result", "hit"));
                measurements.Add(Measure(cache, table, table.Counts.Misses, "pile.cache.request.result", "miss"));
            }
        });
        of.Counter("pile.cache.evictions", "{entry}", "Entries that left by themselves.", static (cache, measurements) =>
        {
            foreach (TableBase table in TablesOf(cache))
            {
                measurements.Add(Measure(cache, table, table.Counts.Evictions, "pile.cache.eviction.reason", "capacity"));
                measurements.Add(Measure(cache, table, table.Counts.Expirations, "pile.cache.eviction.reason", "expired"));
            }
        });
        of.Gauge("pile.cache.entries", "{entry}", "Entries of tables.", static (cache, measurements) =>
        {
            foreach (TableBase table in TablesOf(cache))
            {
                measurements.Add(Measure(cache, table, table.Counts.Entries));
            }
        });
        of.Gauge("pile.cache.size", "By", "Bytes of the entries' records.", static (cache, measurements) =>
        {
            foreach (TableBase table in TablesOf(cache))
            {
                measurements.Add(Measure(cache, table, table.Counts.Bytes));
            }
        });
    }

    private static IEnumerable<TableBase> TablesOf(PileCache cache) => cache.HasEnded ? [] : cache.Tables;

    private static Measurement<long> Measure(PileCache cache, TableBase table, long value) => new(value, TagsOf(cache, table));

    private static Measurement<long> Measure(PileCache cache, TableBase table, long value, string tag, string what) =>
        new(value, [.. TagsOf(cache, table), KeyValuePair.Create<string, object?>(tag, what)]);

    private static KeyValuePair<string, object?>[] TagsOf(PileCache cache, TableBase table) =>
        [KeyValuePair.Create<string, object?>("pile.tag", (int)cache.Pile.Tag), KeyValuePair.Create<string, object?>("pile.cache.table", table.Options.Name)];
}
