using System;
using System.Collections.Generic;
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
        "pile.cache.entries {entry} ObservableUpDownCounter`1",
        "pile.cache.evictions {entry} ObservableCounter`1",
        "pile.cache.requests {request} ObservableCounter`1",
        "pile.cache.size By ObservableUpDownCounter`1",
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
        Assert.Equal(
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
            ],
            Measure(tag).Order(StringComparer.Ordinal));
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

    private static List<string> Measure(string with)
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
