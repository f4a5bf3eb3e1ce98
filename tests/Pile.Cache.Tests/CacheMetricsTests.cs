using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Linq;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>The Meter "Pile.Cache": names, units, kinds and tags are promised.</summary>
public sealed class CacheMetricsTests
{
    private static readonly string[] _instruments =
    [
        "pile.cache.distributed.requests {request} Counter`1",
        "pile.cache.entries {entry} ObservableUpDownCounter`1",
        "pile.cache.entries.damaged {entry} ObservableUpDownCounter`1",
        "pile.cache.evictions {entry} ObservableCounter`1",
        "pile.cache.factory.duration s Histogram`1",
        "pile.cache.requests {request} ObservableCounter`1",
        "pile.cache.size By ObservableUpDownCounter`1",
        "pile.cache.stampede.joins {call} ObservableCounter`1",
    ];

    [Fact]
    public void TheInstrumentsHaveTheirNamesUnitsAndKinds()
    {
        using var tiny = new TinyCache();
        SortedSet<string> found = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == "Pile.Cache")
                {
                    found.Add($"{instrument.Name} {instrument.Unit} {instrument.GetType().Name}");
                }
            },
        };
        listener.Start();

        Assert.Equal(_instruments, found);
    }

    [Fact]
    public void EachTableIsMeasuredUnderItsNameUntilTheCacheIsDisposed()
    {
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        PileTable<int, string> first = cache.GetOrCreateTable<int, string>("first");
        PileTable<int, string> second = cache.GetOrCreateTable<int, string>("second");
        first.Set(1, "one");
        first.Set(2, "two");
        second.Set(1, "one");
        Assert.True(first.TryGet(1, out _) && first.TryGet(2, out _) && !first.TryGet(3, out _));

        string tag = $"pile.tag={cache.Pile.Tag}";
        string[] expected =
        [
            $"pile.cache.entries 1: {tag} pile.cache.table=second",
            $"pile.cache.entries 2: {tag} pile.cache.table=first",
            $"pile.cache.evictions 0: {tag} pile.cache.table=first pile.cache.eviction.reason=capacity",
            $"pile.cache.evictions 0: {tag} pile.cache.table=first pile.cache.eviction.reason=expired",
            $"pile.cache.evictions 0: {tag} pile.cache.table=second pile.cache.eviction.reason=capacity",
            $"pile.cache.evictions 0: {tag} pile.cache.table=second pile.cache.eviction.reason=expired",
            $"pile.cache.requests 0: {tag} pile.cache.table=second pile.cache.request.result=hit",
            $"pile.cache.requests 0: {tag} pile.cache.table=second pile.cache.request.result=miss",
            $"pile.cache.requests 1: {tag} pile.cache.table=first pile.cache.request.result=miss",
            $"pile.cache.requests 2: {tag} pile.cache.table=first pile.cache.request.result=hit",
            $"pile.cache.size {first.GetStatistics().EntryBytes}: {tag} pile.cache.table=first",
            $"pile.cache.size {second.GetStatistics().EntryBytes}: {tag} pile.cache.table=second",
            $"pile.cache.stampede.joins 0: {tag} pile.cache.table=first",
            $"pile.cache.stampede.joins 0: {tag} pile.cache.table=second",
        ];
        Assert.Equal(expected.Order(StringComparer.Ordinal), Measure(tag).Order(StringComparer.Ordinal));
        cache.Dispose();
        Assert.Empty(Measure(tag));
    }

    [Fact]
    public void EntriesThatLeaveAreCountedByTheReason()
    {
        var clock = new ManualClock();
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20, TimeProvider = clock, BackgroundCleaning = false });
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t", new PileTableOptions { MaximumEntries = 100 });
        for (int key = 0; key < 300; key++)
        {
            table.Set(key, new byte[10]);
        }

        string tag = $"pile.tag={cache.Pile.Tag}";
        PileCacheStatistics statistics = table.GetStatistics();
        Assert.NotEqual(0, statistics.Evictions);
        Assert.Contains($"pile.cache.evictions {statistics.Evictions}: {tag} pile.cache.table=t pile.cache.eviction.reason=capacity", Measure(tag));

        table.Set(1000, [1], new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1) });
        clock.Move(TimeSpan.FromSeconds(2));
        Assert.True(table.Set(1000, [2]).IsStored);
        Assert.Contains($"pile.cache.evictions {table.GetStatistics().Expirations}: {tag} pile.cache.table=t pile.cache.eviction.reason=expired", Measure(tag));
    }

    [Fact]
    public void AListenerThatThrowsKeepsNobodyWaiting()
    {
        string name = "t" + Guid.NewGuid().ToString("N");
        using var activities = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Pile.Cache",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity =>
            {
                if (activity.TagObjects.Any(tag => tag.Value as string == name))
                {
                    throw new NotSupportedException("listener");
                }
            },
        };
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        PileTable<int, string> table = cache.GetOrCreateTable<int, string>(name);
        ActivitySource.AddActivityListener(activities);
        AggregateException both = Assert.Throws<AggregateException>(() => table.GetOrAdd<int, string>(3, static _ => throw new FormatException("no")));
        Assert.Equal([typeof(FormatException), typeof(NotSupportedException)], both.InnerExceptions.Select(static one => one.GetType()));
    }

    [Fact]
    public void AFactoryIsTimedAndTracedWhileSomebodyListensAndItsFailureHasItsType()
    {
        string name = "t" + Guid.NewGuid().ToString("N");
        List<string> seen = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Name == "pile.cache.factory.duration")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, value, tags, _) => Note(value >= 0 ? "timed" : "negative", tags.ToArray()));
        using var activities = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == "Pile.Cache",
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStopped = activity => Note($"{activity.OperationName} {activity.Status}", [.. activity.TagObjects]),
        };
        using var cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        PileTable<int, string> table = cache.GetOrCreateTable<int, string>(name);
        Assert.Equal("1", table.GetOrAdd(1, static key => $"{key}"));
        listener.Start();
        ActivitySource.AddActivityListener(activities);
        Assert.Equal("2", table.GetOrAdd(2, static key => $"{key}"));
        Assert.Equal("2", table.GetOrAdd(2, static key => $"{key}"));
        Assert.Throws<FormatException>(() => table.GetOrAdd<int, string>(3, static _ => throw new FormatException("no")));

        Assert.Equal(
            [
                $"timed: pile.cache.table={name}", $"pile.cache.factory Unset: pile.cache.table={name}",
                $"timed: pile.cache.table={name} error.type=System.FormatException", $"pile.cache.factory Error: pile.cache.table={name} error.type=System.FormatException",
            ],
            seen);

        void Note(string what, KeyValuePair<string, object?>[] tags)
        {
            string line = $"{what}: {string.Join(' ', tags.Select(static tag => $"{tag.Key}={tag.Value}"))}";
            if (line.Contains(name, StringComparison.Ordinal))
            {
                seen.Add(line);
            }
        }
    }

    /// <summary>What is measured now, of the lines that have a text and a space behind it.</summary>
    internal static List<string> Measure(string with)
    {
        List<string> lines = [];
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Meter.Name == "Pile.Cache")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            string line = $"{instrument.Name} {value}: {string.Join(' ', tags.ToArray().Select(static tag => $"{tag.Key}={tag.Value}"))}";
            if (line.Contains(with + " ", StringComparison.Ordinal))
            {
                lines.Add(line);
            }
        });
        listener.Start();
        listener.RecordObservableInstruments();
        return lines;
    }
}
