using System;
using System.Collections.Generic;
using System.IO;
using Pile.Cache.Tests.Model;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Durable tables in files: what they hold survives a stop, a kill and, from a flush on, a power cut.</summary>
public sealed class DurableTests
{
    private const int Keys = 3000;

    internal static PileTableOptions Durable { get; } = new() { Kind = PileTableKind.Durable };

    [Fact]
    public void ACleanStopKeepsEntriesWithTheirTermsAndVersions()
    {
        using var directory = new TemporaryDirectory();
        PileEntryVersion version;
        DateTimeOffset? end;
        using (PileCache cache = PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 64 << 20 }))
        {
            PileTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("table", Durable with { DefaultPriority = PileCachePriority.High });
            Fill(table);
            table.Set("timed", RestartTests.Value(2, 10), new PileEntryOptions { TimeToLive = TimeSpan.FromHours(3) });
            table.Set("sliding", RestartTests.Value(3, 10), new PileEntryOptions { SlidingExpiration = TimeSpan.FromHours(2) });
            Assert.True(table.TryGet("key 7", out _, out version));
            Assert.True(table.TryGetExpiration("timed", out end));
            Assert.True(cache.Pile.Verify().IsGood);
        }

        PileInspection inspected = PileInspection.Of(directory.Path, TestContext.Current.CancellationToken);
        Assert.Contains(inspected.Files, static file => file is { Name: "cache.tables", Kind: PileFileKind.CacheTables });
        using (PileCache cache = PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 64 << 20 }))
        {
            PileTableRecovery found = Assert.Single(cache.Recovery);
            Assert.Equal(("table", true, Keys + 3L, "it had been closed in order"), (found.Name, found.IsKept, found.Entries, found.Reason));
            PileTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("table");
            AssertFilled(table, others: 2);
            Assert.True(table.TryGetExpiration("timed", out DateTimeOffset? kept));
            Assert.Equal(end, kept);
            Assert.True(table.TryGetExpiration("sliding", out DateTimeOffset? slides));
            Assert.NotNull(slides);
            Assert.True(table.TrySet("key 7", RestartTests.Value(9, 5), version).IsStored);
            Assert.False(table.TrySet("key 7", RestartTests.Value(9, 5), version).IsStored);
            Assert.True(cache.Pile.Verify().IsGood);
        }
    }

    [Fact]
    public void AKillKeepsEveryEntryAndNothingThatWasRemoved()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files, limitBytes: 24 << 20);
        PileTable<string, byte[]> table = first.Table<string, byte[]>(Durable);
        Fill(table);
        using SimulatedFiles killed = files.Fork();
        using var second = new MappedCache(killed, first.Clock, 24 << 20);
        Assert.Contains("built anew", Assert.Single(second.Cache.Recovery).Reason, StringComparison.Ordinal);
        AssertFilled(second.Table<string, byte[]>(), others: 0);

        // Entries, and the values that some of them own.
        Assert.Equal(Keys + 2, second.Cache.Pile.GetStatistics().Objects);
    }

    [Fact]
    public void APowerCutKeepsWhatWasFlushed()
    {
        for (int seed = 0; seed < 8; seed++)
        {
            using var files = new SimulatedFiles();
            using var first = new MappedCache(files, limitBytes: 24 << 20);
            PileTable<string, byte[]> table = first.Table<string, byte[]>(Durable);
            Fill(table);
            first.Cache.Pile.Commit();
            for (int key = 0; key < 400; key++)
            {
                table.Set($"late {key}", RestartTests.Value(key, 50));
            }

            using SimulatedFiles cut = files.PowerCut(new Random(Seeds.Next(seed)));
            using var second = new MappedCache(cut, first.Clock, 24 << 20);
            PileTable<string, byte[]> again = second.Table<string, byte[]>();
            int late = 0;
            for (int key = 0; key < 400; key++)
            {
                if (again.TryGet($"late {key}", out byte[]? value))
                {
                    Assert.Equal(RestartTests.Value(key, 50), value);
                    late++;
                }
            }

            AssertFilled(again, late);
        }
    }

    [Fact]
    public void AMillionGuidsAreAllThereAfterACloseAndAfterAKill()
    {
        using var directory = new TemporaryDirectory();
        var random = new Random(Seeds.Next(5));
        var keys = new Guid[1_000_000];
        Span<byte> bytes = stackalloc byte[16];
        for (int index = 0; index < keys.Length; index++)
        {
            random.NextBytes(bytes);
            keys[index] = new Guid(bytes);
        }

        var options = new PileCacheOptions { MemoryLimitBytes = 512 << 20 };
        using (PileCache cache = PileCache.Open(directory.Path, options))
        {
            PileTable<Guid, long> table = cache.GetOrCreateTable<Guid, long>("guids", Durable);
            for (int index = 0; index < keys.Length; index++)
            {
                Assert.True(table.Set(keys[index], index).IsStored);
            }

            Assert.Equal(keys.Length, table.Count);
        }

        using (PileCache cache = PileCache.Open(directory.Path, options))
        {
            Assert.Equal("it had been closed in order", Assert.Single(cache.Recovery).Reason);
            AssertGuids(cache, keys);
        }

        // The facts of the close are what tells it from a kill: without them the index is built anew.
        File.Delete(Path.Combine(directory.Path, "cache.facts"));
        using (PileCache cache = PileCache.Open(directory.Path, options))
        {
            Assert.Contains("built anew", Assert.Single(cache.Recovery).Reason, StringComparison.Ordinal);
            AssertGuids(cache, keys);
        }
    }

    [Fact]
    public void SpeculativeAndDurableTablesStandSideBySide()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files, limitBytes: 4 << 20, flushes: true);
        PileTable<int, byte[]> durable = first.Table<int, byte[]>(Durable);
        PileTable<int, byte[]> other = first.Cache.GetOrCreateTable<int, byte[]>("other");
        for (int key = 0; key < 20_000; key++)
        {
            if (key < 2000)
            {
                Assert.True(durable.Set(key, RestartTests.Value(key, 200)).IsStored);
            }

            Assert.True(other.Set(key, RestartTests.Value(key + 1, 400)).IsStored);
        }

        Assert.True(other.Count < 20_000, "nothing was evicted");
        AssertThere(durable);
        first.Verify();
        using SimulatedFiles killed = files.Fork();
        using var second = new MappedCache(killed, first.Clock, 4 << 20);
        AssertThere(second.Table<int, byte[]>());
        Assert.Equal(other.Count, second.Cache.GetOrCreateTable<int, byte[]>("other").Count);
        second.Verify();

        static void AssertThere(PileTable<int, byte[]> table)
        {
            Assert.Equal(2000, table.Count);
            for (int key = 0; key < 2000; key++)
            {
                Assert.True(table.TryGet(key, out byte[]? value), $"key {key}");
                Assert.Equal(RestartTests.Value(key, 200), value);
            }
        }
    }

    [Fact]
    public void ASetWithoutRoomAnswersFullAndLosesNothing()
    {
        using var files = new SimulatedFiles();
        using var mapped = new MappedCache(files, limitBytes: 3 << 20, flushes: true);
        PileTable<int, byte[]> table = mapped.Table<int, byte[]>(Durable);
        int stored = 0;
        while (table.Set(stored, RestartTests.Value(stored, 700)).Outcome == PileSetOutcome.Inserted)
        {
            stored++;
        }

        Assert.InRange(stored, 1000, 4000);
        Assert.Equal(PileSetOutcome.Full, table.Set(-1, new byte[100_000]).Outcome);
        Assert.Equal(stored, table.Count);
        for (int key = 0; key < stored; key++)
        {
            Assert.True(table.TryGet(key, out byte[]? value));
            Assert.Equal(RestartTests.Value(key, 700), value);
        }

        mapped.Verify();

        // What is removed makes room again.
        for (int key = 0; key < stored; key += 2)
        {
            Assert.True(table.Remove(key));
        }

        for (int key = 0; key < stored; key += 4)
        {
            Assert.True(table.Set(key, RestartTests.Value(key, 700)).IsStored, $"key {key}");
        }

        mapped.Verify();
    }

    [Fact]
    public void EntriesThatHaveEndedMakeRoom()
    {
        using var files = new SimulatedFiles();
        using var mapped = new MappedCache(files, limitBytes: 3 << 20, flushes: true);
        PileTable<int, byte[]> table = mapped.Table<int, byte[]>(Durable);
        var life = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(10) };
        int stored = 0;
        while (table.Set(stored, RestartTests.Value(stored, 700), life).Outcome == PileSetOutcome.Inserted)
        {
            stored++;
        }

        mapped.Clock.Move(TimeSpan.FromSeconds(11));
        Assert.False(table.TryGet(0, out _));
        for (int key = 0; key < stored / 2; key++)
        {
            Assert.True(table.Set(10_000 + key, RestartTests.Value(key, 700)).IsStored, $"key {key} of {stored}");
        }

        // Only as many have gone as had to; the keeper takes the rest.
        Assert.InRange(table.Count, stored / 2, stored);
        mapped.Cache.Pile.Commit();
        mapped.Tick();
        Assert.Equal(stored / 2, table.Count);
        mapped.Verify();
    }

    [Fact]
    public void TheKeeperRemovesWhatHasEndedAlsoAfterACleanStop()
    {
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        using (var first = new MappedCache(files, clock))
        {
            PileTable<int, byte[]> table = first.Table<int, byte[]>(Durable);
            for (int key = 0; key < 500; key++)
            {
                table.Set(key, RestartTests.Value(key, 60), new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(key % 2 == 0 ? 10 : 1000) });
            }
        }

        using (var second = new MappedCache(files, clock))
        {
            clock.Move(TimeSpan.FromSeconds(60));
            second.Tick();
            Assert.Equal(250, second.Table<int, byte[]>().Count);
            Assert.Equal(250, second.Cache.Pile.GetStatistics().Objects);
        }

        using SimulatedFiles killed = files.Fork();
        using var third = new MappedCache(killed, clock);
        clock.Move(TimeSpan.FromSeconds(2000));
        third.Tick();
        Assert.Equal(0, third.Table<int, byte[]>().Count);
    }

    [Fact]
    public void APileOpenedWithoutItsCacheKeepsTheEntriesAndShowsNone()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files, limitBytes: 24 << 20))
        {
            Fill(first.Table<string, byte[]>(Durable));
        }

        using (ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files)))
        {
            Assert.Equal(Keys + 2, pile.GetStatistics().Objects);
            PilePointer own = pile.Put(new byte[100]);
            Assert.Equal(own, Assert.Single(Enumerated(pile)));
            byte tag = pile.Tag;
            for (uint slot = 1; slot < 200; slot++)
            {
                var pointer = PilePointer.Parse($"{slot}.1@{tag}", System.Globalization.CultureInfo.InvariantCulture);
                Assert.True(pointer == own || !pile.TryGet(pointer, out byte[]? _), $"{pointer}");
            }

            _ = pile.Compact(1.05, TestContext.Current.CancellationToken);
            Assert.True(pile.Delete(own));
            Assert.True(pile.Verify().IsGood);
        }

        using var second = new MappedCache(files, limitBytes: 24 << 20);
        AssertFilled(second.Table<string, byte[]>(), others: 0);

        static List<PilePointer> Enumerated(ObjectPile pile)
        {
            List<PilePointer> pointers = [];
            foreach (PileItem item in pile.Enumerate())
            {
                pointers.Add(item.Pointer);
            }

            return pointers;
        }
    }

    [Fact]
    public void ACopyHasTheDurableTables()
    {
        using var directory = new TemporaryDirectory();
        using var copy = new TemporaryDirectory();
        string path = Path.Combine(copy.Path, "copy");
        using (PileCache cache = PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 64 << 20 }))
        {
            Fill(cache.GetOrCreateTable<string, byte[]>("table", Durable));
            cache.GetOrCreateTable<int, int>("other").Set(1, 2);
            _ = cache.Pile.CopyTo(path, cancellationToken: TestContext.Current.CancellationToken);
        }

        using PileCache again = PileCache.Open(path, new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
        Assert.Equal(["table"], again.TableNames);
        AssertFilled(again.GetOrCreateTable<string, byte[]>("table"), others: 0);
        Assert.True(again.Pile.Verify().IsGood);
    }

    private static void Fill(PileTable<string, byte[]> table)
    {
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set($"key {key}", RestartTests.Value(key, 30)).IsStored);
        }

        for (int key = 0; key < Keys; key += 2)
        {
            Assert.Equal(PileSetOutcome.Replaced, table.Set($"key {key}", RestartTests.Value(key, 90)).Outcome);
        }

        Assert.True(table.Set("large", RestartTests.Value(0, 200_000)).IsStored);
        Assert.Equal(PileSetOutcome.Replaced, table.Set("large", RestartTests.Value(1, 300_000)).Outcome);
        for (int key = 0; key < 100; key++)
        {
            Assert.True(table.Set($"gone {key}", RestartTests.Value(key, key == 50 ? 100_000 : 20)).IsStored);
            Assert.True(table.Remove($"gone {key}"));
        }
    }

    private static void AssertFilled(PileTable<string, byte[]> table, int others)
    {
        Assert.Equal(Keys + 1 + others, table.Count);
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.TryGet($"key {key}", out byte[]? value), $"key {key}");
            Assert.Equal(RestartTests.Value(key, key % 2 == 0 ? 90 : 30), value);
        }

        Assert.True(table.TryGet("large", out byte[]? large));
        Assert.Equal(RestartTests.Value(1, 300_000), large);
        for (int key = 0; key < 100; key++)
        {
            Assert.False(table.ContainsKey($"gone {key}"));
        }
    }

    private static void AssertGuids(PileCache cache, Guid[] keys)
    {
        PileTable<Guid, long> table = cache.GetOrCreateTable<Guid, long>("guids");
        Assert.Equal(keys.Length, table.Count);
        for (int index = 0; index < keys.Length; index++)
        {
            Assert.True(table.TryGet(keys[index], out long value) && value == index, $"key {index}");
        }
    }
}
