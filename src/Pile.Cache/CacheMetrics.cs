// The Meter and the ActivitySource "Pile.Cache". What can be counted is polled from the tables' striped counters and costs nothing
// until someone listens; what must be timed is timed only while someone does. Names, units and tags are fixed by a test.
using System;
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

    private const string TableTag = "pile.cache.table";

    private static readonly Meter _meter = new(Name);
    private static readonly Instruments<PileCache> _instruments = new(_meter, PublishAll);

    /// <summary>The source of activities.</summary>
    internal static ActivitySource Activities { get; } = new(Name);

    private static Histogram<double>? _factoryDuration;
    private static Counter<long>? _behindRequests;

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

    /// <summary>Begins to time a call of a factory, when somebody listens.</summary>
    internal static FactoryTiming BeginFactory(TableBase table)
    {
        Activity? activity = Activities.StartActivity("pile.cache.factory");
        _ = activity?.SetTag(TableTag, table.Options.Name);
        return new FactoryTiming(activity, _factoryDuration is { Enabled: true } ? table.Clock.Provider.GetTimestamp() : 0);
    }

    /// <summary>Ends <see cref="BeginFactory"/>.</summary>
    internal static void EndFactory(TableBase table, FactoryTiming timing, Exception? failure)
    {
        if (timing.Began != 0)
        {
            KeyValuePair<string, object?> name = KeyValuePair.Create<string, object?>(TableTag, table.Options.Name);
            double seconds = table.Clock.Provider.GetElapsedTime(timing.Began).TotalSeconds;
            if (failure is null)
            {
                _factoryDuration!.Record(seconds, name);
            }
            else
            {
                _factoryDuration!.Record(seconds, name, KeyValuePair.Create<string, object?>("error.type", failure.GetType().FullName));
            }
        }

        if (timing.Activity is { } activity)
        {
            _ = failure is null ? activity : activity.SetStatus(ActivityStatusCode.Error, failure.Message).SetTag("error.type", failure.GetType().FullName);
            activity.Dispose();
        }
    }

    /// <summary>Counts a request to a cache behind one.</summary>
    internal static void CountBehind(TableBase table, string operation, string result) => _behindRequests?.Add(
        1,
        KeyValuePair.Create<string, object?>(TableTag, table.Options.Name),
        KeyValuePair.Create<string, object?>("pile.cache.operation", operation),
        KeyValuePair.Create<string, object?>("pile.cache.request.result", result));

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
        of.Counter("pile.cache.stampede.joins", "{call}", "Calls of GetOrAdd that waited for a factory that another had called.", static (cache, measurements) =>
        {
            foreach (TableBase table in TablesOf(cache))
            {
                measurements.Add(Measure(cache, table, table.Factories.Joins));
            }
        });
        of.Gauge("pile.cache.entries.damaged", "{entry}", "Entries of speculative tables in files found to be damaged since the open, each a miss.", static (cache, measurements) =>
        {
            if (cache is { HasEnded: false, Core.Files: { } files })
            {
                measurements.Add(new Measurement<long>(files.Trust.Damaged, TagOf(cache)));
            }
        });
        of.Publish(static () => _factoryDuration = _meter.CreateHistogram<double>("pile.cache.factory.duration", "s", "How long factories took."));
        of.Publish(static () => _behindRequests = _meter.CreateCounter<long>("pile.cache.distributed.requests", "{request}", "Requests of a HybridCache to the cache behind it."));
    }

    private static IEnumerable<TableBase> TablesOf(PileCache cache) => cache.HasEnded ? [] : cache.Tables;

    private static Measurement<long> Measure(PileCache cache, TableBase table, long value) => new(value, TagsOf(cache, table));

    private static Measurement<long> Measure(PileCache cache, TableBase table, long value, string tag, string what) =>
        new(value, [.. TagsOf(cache, table), KeyValuePair.Create<string, object?>(tag, what)]);

    private static KeyValuePair<string, object?> TagOf(PileCache cache) => KeyValuePair.Create<string, object?>("pile.tag", (int)cache.Pile.Tag);

    private static KeyValuePair<string, object?>[] TagsOf(PileCache cache, TableBase table) =>
        [TagOf(cache), KeyValuePair.Create<string, object?>(TableTag, table.Options.Name)];
}
