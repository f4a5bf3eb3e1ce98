using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Tables in files are there again after a clean stop and after a kill, and start empty after a power cut.</summary>
public sealed class RestartTests
{
    private const int Keys = 3000;

    [Fact]
    public void ACleanStopKeepsEntriesWithTheirTermsAndVersions()
    {
        using var directory = new TemporaryDirectory();
        PileEntryVersion version;
        DateTimeOffset? end;
        using (PileCache cache = PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 64 << 20 }))
        {
            PileTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("table", new PileTableOptions { DefaultPriority = PileCachePriority.High });
            for (int key = 0; key < Keys; key++)
            {
                Assert.True(table.Set($"key {key}", Value(key, 100)).IsStored);
            }

            table.Set("large", Value(1, 300_000));
            table.Set("timed", Value(2, 10), new PileEntryOptions { TimeToLive = TimeSpan.FromHours(3) });
            table.Set("sliding", Value(3, 10), new PileEntryOptions { SlidingExpiration = TimeSpan.FromHours(2) });
            table.Set("gone", Value(4, 10));
            Assert.True(table.Remove("gone"));
            Assert.True(table.TryGet("key 7", out _, out version));
            Assert.True(table.TryGetExpiration("timed", out end));
        }

        PileInspection inspected = PileInspection.Of(directory.Path, TestContext.Current.CancellationToken);
        Assert.Equal(
            [("cache.facts", PileFileKind.CacheFacts), ("index.1", PileFileKind.CacheIndex)],
            inspected.Files.Where(static file => file.Kind is PileFileKind.CacheFacts or PileFileKind.CacheIndex).Select(static file => (file.Name, file.Kind)));
        using (PileCache cache = PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 64 << 20 }))
        {
            PileTableRecovery found = Assert.Single(cache.Recovery);
            Assert.Equal(("table", true, Keys + 3L), (found.Name, found.IsKept, found.Entries));
            Assert.Equal(["table"], cache.TableNames);
            PileTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("table");
            Assert.Equal(Keys + 3, table.Count);
            for (int key = 0; key < Keys; key++)
            {
                Assert.True(table.TryGet($"key {key}", out byte[]? value));
                Assert.Equal(Value(key, 100), value);
            }

            Assert.True(table.TryGet("large", out byte[]? large));
            Assert.Equal(Value(1, 300_000), large);
            Assert.True(table.TryGetExpiration("timed", out DateTimeOffset? kept));
            Assert.Equal(end, kept);
            Assert.True(table.TryGetExpiration("sliding", out DateTimeOffset? slides));
            Assert.NotNull(slides);
            Assert.False(table.ContainsKey("gone"));
            Assert.True(table.TrySet("key 7", Value(9, 5), version).IsStored);
            Assert.True(cache.Pile.Verify().IsGood);
        }
    }

    [Fact]
    public void AKillKeepsWhatWasStoredAndNothingThatWasRemoved()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>();
        for (int key = 0; key < Keys; key++)
        {
            table.Set(key, Value(key, key % 50 == 0 ? 40_000 : 60));
        }

        for (int key = 0; key < Keys; key += 3)
        {
            table.Remove(key);
        }

        using SimulatedFiles killed = files.Fork();
        using var second = new MappedCache(killed, first.Clock);
        PileTableRecovery found = Assert.Single(second.Cache.Recovery);
        Assert.True(found.IsKept, found.Reason);
        Assert.Equal(table.Count, found.Entries);
        Assert.Contains("ended without closing", found.Reason, StringComparison.Ordinal);
        PileTable<int, byte[]> again = second.Table<int, byte[]>();
        for (int key = 0; key < Keys; key++)
        {
            bool isThere = table.TryGet(key, out byte[]? value);
            Assert.Equal(isThere, again.TryGet(key, out byte[]? kept));
            Assert.Equal(value, kept);
        }

        second.Verify();
    }

    [Fact]
    public void APowerCutLetsTablesStartEmptyAndLeavesNothingBehind()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>();
        for (int key = 0; key < 200; key++)
        {
            table.Set(key, Value(key, key % 20 == 0 ? 40_000 : 60));
        }

        first.Cache.Pile.Commit();
        using SimulatedFiles cut = files.PowerCut(new Random(1));
        using var second = new MappedCache(cut, first.Clock);
        PileTableRecovery found = Assert.Single(second.Cache.Recovery);
        Assert.False(found.IsKept);
        Assert.Contains("power was cut", found.Reason, StringComparison.Ordinal);
        PileTable<int, byte[]> again = second.Table<int, byte[]>();
        Assert.Equal(0, again.Count);
        for (int key = 0; key < 200; key++)
        {
            Assert.False(again.ContainsKey(key));
        }

        // The large values of the entries that are gone.
        Assert.Equal(0, second.Cache.Pile.GetStatistics().Objects);
        Assert.True(again.Set(1, Value(1, 10)).IsStored);
    }

    [Fact]
    public void ATableOfOtherTypesOrAnotherComparerIsRefused()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            first.Table<string, byte[]>().Set("a", [1]);
        }

        using var second = new MappedCache(files);
        Assert.True(Assert.Single(second.Cache.Recovery).IsKept, second.Cache.Recovery[0].Reason);
        PileTypeMismatchException other = Assert.Throws<PileTypeMismatchException>(() => second.Table<int, byte[]>());
        Assert.Contains("System.String", other.Message, StringComparison.Ordinal);
        Assert.Throws<PileTypeMismatchException>(() => second.Table<string, string>());
        Assert.Throws<PileTypeMismatchException>(() => second.Table<string, byte[]>(new PileTableOptions { Comparer = PileKeyComparers.OrdinalIgnoreCase }));
        Assert.True(second.Table<string, byte[]>().ContainsKey("a"));
    }

    [Fact]
    public void ADroppedTableDoesNotComeBackAfterAKill()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        first.Table<int, byte[]>().Set(1, [1]);
        PileTable<int, byte[]> other = first.Cache.GetOrCreateTable<int, byte[]>("other");
        other.Set(2, [2]);
        Assert.True(first.Cache.DropTable("table"));

        using SimulatedFiles killed = files.Fork();
        using var second = new MappedCache(killed, first.Clock);
        Assert.True(Assert.Single(second.Cache.Recovery).IsKept, second.Cache.Recovery[0].Reason);
        Assert.Equal(["other"], second.Cache.TableNames);
        Assert.Equal(0, second.Table<int, byte[]>().Count);
        Assert.True(second.Cache.GetOrCreateTable<int, byte[]>("other").ContainsKey(2));

        // Found and not asked for: it can be dropped all the same.
        using SimulatedFiles third = killed.Fork();
        using var last = new MappedCache(third, first.Clock);
        Assert.True(last.Cache.DropTable("other"));
        Assert.Equal(0, last.Cache.GetOrCreateTable<int, byte[]>("other").Count);
    }

    [Fact]
    public void AClearOfThePileIsAClearOfTheTablesAfterAKillToo()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>();
        table.Set(1, [1]);
        first.Cache.Pile.Clear();
        table.Set(2, [2]);

        using SimulatedFiles killed = files.Fork();
        using var second = new MappedCache(killed, first.Clock);
        PileTable<int, byte[]> again = second.Table<int, byte[]>();
        Assert.False(again.ContainsKey(1));
        Assert.True(again.ContainsKey(2));
    }

    [Fact]
    public void APileOpenedWithoutItsCacheKeepsTheEntries()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            PileTable<int, byte[]> table = first.Table<int, byte[]>();
            for (int key = 0; key < Keys; key++)
            {
                table.Set(key, Value(key, 60));
            }
        }

        using (ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files)))
        {
            for (int round = 0; round < 30; round++)
            {
                PilePointer[] pointers = [.. Enumerable.Range(0, 500).Select(_ => pile.Put(new byte[300]))];
                Array.ForEach(pointers, pointer => pile.Delete(pointer));
                _ = pile.Compact(1.05, TestContext.Current.CancellationToken);
            }

            Assert.True(pile.Verify().IsGood);
        }

        using var second = new MappedCache(files);
        PileTable<int, byte[]> again = second.Table<int, byte[]>();
        Assert.Equal(Keys, again.Count);
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(again.TryGet(key, out byte[]? value));
            Assert.Equal(Value(key, 60), value);
        }
    }

    internal static byte[] Value(int seed, int bytes)
    {
        byte[] value = new byte[bytes];
        new Random(seed).NextBytes(value);
        return value;
    }
}
