// Events of tables: what became of which entry, each told once, those of a key in order, whoever reads them and however slowly.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class EventTests
{
    private static readonly PileEntryOptions _short = new() { TimeToLive = TimeSpan.FromSeconds(10) };

    [Theory]
    [InlineData(PileTableKind.Speculative, false, 10)]
    [InlineData(PileTableKind.Speculative, true, 10)]
    [InlineData(PileTableKind.Durable, false, 10)]
    [InlineData(PileTableKind.Durable, true, 10)]
    [InlineData(PileTableKind.Speculative, false, 50_000)]
    [InlineData(PileTableKind.Speculative, true, 50_000)]
    [InlineData(PileTableKind.Durable, true, 50_000)]
    public void EachChangeOfAnEntryIsToldOnceInOrder(PileTableKind kind, bool inFiles, int bytes)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        PileTable<string, byte[]> table = tiny.Table<string, byte[]>(new PileTableOptions { Kind = kind });
        table.Set("before", new byte[bytes]);
        using PileWatch<string> watch = table.Watch();
        PileEntryVersion stored = table.Set("a", new byte[bytes]).Version;
        Assert.True(table.TryGet("a", out _, out PileEntryVersion first));
        Assert.Equal(first, stored);
        table.Set("a", new byte[bytes + 1], _short);
        Assert.True(table.TryGet("a", out _, out PileEntryVersion second));
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        Assert.False(table.TryGet("a", out _));
        Assert.False(table.TryGet("a", out _));
        table.Set("a", new byte[bytes], _short);
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        table.Set("a", new byte[bytes], _short);
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        tiny.Tick(3);
        table.Set("a", new byte[bytes], _short);
        Assert.True(table.TryGet("a", out _, out PileEntryVersion last));
        Assert.False(table.TryRemove("a", first));
        Assert.Equal(new PileSetResult(PileSetOutcome.Refused, 0), table.Add("a", [1]));
        Assert.True(table.Remove("a"));
        Assert.False(table.Remove("a"));
        Assert.True(table.Remove("before"));

        PileTableEvent<string>[] told = Drain(watch);
        Assert.Equal(
            ["Inserted a", "Replaced a", "Expired a", "Inserted a", "Expired a", "Inserted a", "Expired a", "Inserted a", "Removed a", "Removed before"],
            told.Select(static one => $"{one.Kind} {one.Key}"));
        Assert.Equal([first, second, second], told.Take(3).Select(static one => one.Version));
        Assert.Equal([default, first, .. new PileEntryVersion[8]], told.Select(static one => one.Former));
        Assert.Equal([last, last], told[7..9].Select(static one => one.Version));
        Assert.Equal(Enumerable.Range(1, 10).Select(static number => (long)number), told.Select(static one => one.Position.Number));
        Assert.Single(told.Select(static one => one.Position.Stream).Distinct());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatLeavesToMakeRoomIsToldAsEvicted(bool inFiles)
    {
        using TinyCache tiny = new(3 << 20, inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        var mirror = new EventMirror(static (_, _) => false);
        using PileWatch<int> watch = table.Watch();
        for (int key = 0; key < 20_000; key++)
        {
            table.Set(key, new byte[300]);
            Array.ForEach(Drain(watch), mirror.Take);
        }

        Assert.True(mirror.Counts[PileEventKinds.Evicted] > 5000);
        Assert.Equal(table.GetStatistics().Evictions, mirror.Counts[PileEventKinds.Evicted]);
        Assert.Equal(table.Enumerate().Select(static item => item.Key).Order(), mirror.Entries.Keys.Order());
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Durable, true)]
    public void KeysThatLeadToOneObjectAreToldEachForItself(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        using PileWatch<int> watch = table.Watch();
        PilePointer pointer = tiny.Cache.Pile.PutBytes(new byte[100]);
        table.SetPointer(1, pointer);
        table.SetPointer(2, pointer, _short);
        table.Set(1, [1]);
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        Assert.False(table.TryGet(2, out _));
        Assert.Equal(["Inserted 1", "Inserted 2", "Replaced 1", "Expired 2"], Drain(watch).Select(static one => $"{one.Kind} {one.Key}"));
    }

    [Fact]
    public void WhatATablesOwnLimitTakesIsToldAsEvicted()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { MaximumEntries = 10 });
        using PileWatch<int> watch = table.Watch(new PileWatchOptions { Kinds = PileEventKinds.Evicted });
        for (int key = 0; key < 30; key++)
        {
            table.Set(key, key);
        }

        PileTableEvent<int>[] told = Drain(watch);
        Assert.Equal(20, told.Length);
        Assert.All(told, one => Assert.True(one.Kind == PileEventKinds.Evicted && !table.ContainsKey(one.Key)));
    }

    [Fact]
    public void KeysOfAPlainComparerAreToldAsTheyWereStored()
    {
        using TinyCache tiny = new();
        var options = new PileTableOptions { Comparer = PileKeyComparers.Of(StringComparer.Create(CultureInfo.InvariantCulture, CompareOptions.IgnoreCase)) };
        PileTable<string, int> table = tiny.Table<string, int>(options);
        using PileWatch<string> watch = table.Watch();
        table.Set("Ada", 1);
        table.Set("ADA", 2);
        table.Remove("ada");
        Assert.Equal(["Inserted Ada", "Replaced ADA", "Removed ADA"], Drain(watch).Select(static one => $"{one.Kind} {one.Key}"));
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Durable, true)]
    public void ARemovalByTagAndAClearAreOneEventEach(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = new(inFiles: inFiles);
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { Kind = kind });
        PileTable<int, int> other = tiny.Cache.GetOrCreateTable<int, int>("other");
        using PileWatch<int> watch = table.Watch(new PileWatchOptions { Kinds = PileEventKinds.All & ~PileEventKinds.Inserted });
        using PileWatch<int> otherWatch = other.Watch();
        Fill();
        table.RemoveByTag("red");
        tiny.Clock.Move(TimeSpan.FromSeconds(20));
        tiny.Tick(3);
        Fill();
        tiny.Cache.RemoveByTag("blue");
        Fill();
        table.Clear();
        Fill();
        table.RemoveByTag("*");
        Fill();
        tiny.Cache.Pile.Clear();
        Assert.Equal(0, table.Count);

        PileTableEvent<int>[] told = Drain(watch);
        Assert.Equal(["TagRemoved red", "TagRemoved blue", "Cleared ", "Cleared ", "Cleared "], told.Where(static one => one.Kind != PileEventKinds.Replaced).Select(static one => $"{one.Kind} {one.Tag}"));
        Assert.All(told.Where(static one => one.Kind == PileEventKinds.Replaced), static one => Assert.True(one.Key % 2 == 1));
        Assert.Equal(["TagRemoved blue", "Cleared "], Drain(otherWatch).Select(static one => $"{one.Kind} {one.Tag}"));

        void Fill()
        {
            for (int key = 0; key < 100; key++)
            {
                table.Set(key, key, key % 2 == 0 ? new PileEntryOptions { Tags = ["red", "blue"] } : default);
            }
        }
    }

    [Fact]
    public void RemovalsOfMoreTagsThanAreKeptAreToldWithoutATag()
    {
        using TinyCache tiny = new(3 << 20);
        PileTable<int, int> table = tiny.Table<int, int>();
        using PileWatch<int> watch = table.Watch();
        for (int tag = 0; !table.GetStatistics().RemovedTags.Equals(0) || tag == 0; tag++)
        {
            table.RemoveByTag($"tag {tag}");
            if (Drain(watch).Any(static one => one.Tag is null))
            {
                return;
            }
        }

        Assert.Fail("no event without a tag");
    }

    [Fact]
    public void AnEntryThatATagRemovedBeforeItWasThereIsToldOfByNobody()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { Factory = new PileFactoryOptions { Entry = new PileEntryOptions { Tags = ["red"] } } });
        table.Set(2, 1);
        using PileWatch<int> watch = table.Watch();
        int made = table.GetOrAdd(1, key =>
        {
            table.RemoveByTag("red");
            return key;
        });
        Assert.Equal(1, made);
        Assert.Equal(["TagRemoved 0"], Drain(watch).Select(static one => $"{one.Kind} {one.Key}"));
    }

    [Fact]
    public void WhatSaysThatThereIsNoValueIsToldOfByNobodyAndAValueThatItReplacesIsRemoved()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { Factory = new PileFactoryOptions { StaleWhileRevalidate = TimeSpan.FromHours(1) } });
        using PileWatch<int> watch = table.Watch();
        Assert.False(table.TryGetOrAdd(1, 0, static (_, _) => new PileAnswer<int>(TimeSpan.FromSeconds(10)), out _));
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        tiny.Tick(3);
        Assert.Equal(0, table.Count);
        Assert.False(table.TryGetOrAdd(1, 0, static (_, _) => new PileAnswer<int>(TimeSpan.FromSeconds(10)), out _));
        table.Set(1, 1);
        Assert.Equal(["Inserted 1"], Drain(watch).Select(static one => $"{one.Kind} {one.Key}"));
    }

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void AnEndIsToldWithinAMinuteHoweverLongTheEntriesBesideItLive(PileTableKind kind)
    {
        using var tiny = new TinyCache();
        PileTable<int, string> table = tiny.Table<int, string>(new PileTableOptions { Kind = kind });
        for (int key = 1; key <= 100; key++)
        {
            table.Set(key, "long", new PileEntryOptions { TimeToLive = TimeSpan.FromDays(30) });
        }

        using PileWatch<int> watch = table.Watch();
        for (int seconds = 10; seconds <= 20; seconds += 10)
        {
            table.Set(-seconds, "short", new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(seconds) });
        }

        // The first is told at once, and the next one a minute after that.
        for (int second = 0; second < 75; second++)
        {
            tiny.Clock.Move(TimeSpan.FromSeconds(1));
            tiny.Tick(1);
        }

        Assert.Equal(["Inserted -10", "Inserted -20", "Expired -10", "Expired -20"], Drain(watch).Select(static one => $"{one.Kind} {one.Key}"));
    }

    [Fact]
    public void AnEntryThatIsKeptPastItsEndIsToldAsExpiredWhenItGoes()
    {
        using TinyCache tiny = new();
        var safe = new PileFactoryOptions { Entry = _short, FailSafe = TimeSpan.FromSeconds(100), FailSafeThrottle = TimeSpan.FromSeconds(5) };
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { Factory = safe });
        using PileWatch<int> watch = table.Watch();
        Assert.Equal(7, table.GetOrAdd(1, static _ => 7));
        tiny.Clock.Move(TimeSpan.FromSeconds(10));
        Assert.False(table.TryGet(1, out _));
        Assert.Equal(7, table.GetOrAdd(1, static _ => throw new InvalidOperationException("fails")));
        Assert.True(table.TryGet(1, out _));
        Assert.Equal(["Inserted 1"], Drain(watch).Select(static one => $"{one.Kind} {one.Key}"));
        tiny.Clock.Move(TimeSpan.FromSeconds(100));
        Assert.False(table.TryGet(1, out _));
        Assert.Equal(["Expired 1"], Drain(watch).Select(static one => $"{one.Kind} {one.Key}"));
    }

    private static PileTableEvent<TKey>[] Drain<TKey>(PileWatch<TKey> watch)
        where TKey : notnull
    {
        List<PileTableEvent<TKey>> told = [];
        while (watch.TryRead(out PileTableEvent<TKey> one))
        {
            told.Add(one);
        }

        return [.. told];
    }
}
