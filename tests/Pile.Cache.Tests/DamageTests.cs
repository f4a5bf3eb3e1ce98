using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Index;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Entries of before the open whose bytes have changed are never shown, by whatever way they are come upon.</summary>
public sealed class DamageTests
{
    private const int Keys = 1500;
    private const int ValueBytes = 80;

    [Fact]
    public void AListLeavesDamagedEntriesOut()
    {
        using var files = new SimulatedFiles();
        Fill(files);
        using var second = new MappedCache(files);
        PileTable<int, byte[]> table = second.Table<int, byte[]>();
        Damage(table, static key => key % 7 == 0);
        int listed = 0;
        foreach ((int key, byte[] value) in table.Enumerate())
        {
            Assert.Equal(RestartTests.Value(key, ValueBytes), value);
            listed++;
        }

        Assert.Equal(Enumerable.Range(0, Keys).Count(static key => key % 7 != 0), listed);

        // What is damaged is to be gone when the cache is verified in the end.
        table.Clear();
    }

    [Fact]
    public void AVerificationFindsDamagedEntriesThatLive()
    {
        using var files = new SimulatedFiles();
        Fill(files);
        using var second = new MappedCache(files);
        PileTable<int, byte[]> table = second.Table<int, byte[]>();
        Assert.True(second.Cache.Pile.Verify().IsGood);
        Damage(table, static key => key % 7 == 0);
        PileVerifyReport report = second.Cache.Pile.Verify();
        Assert.Equal(Enumerable.Range(0, Keys).Count(static key => key % 7 == 0), report.Findings.Count);
        Assert.All(report.Findings, static finding => Assert.Equal(PileDamage.PayloadChecksumInvalid, finding.Damage));
        Assert.All(report.Findings, static finding => Assert.StartsWith("cache entry, segment ", finding.Where, StringComparison.Ordinal));
        table.Clear();
        Assert.True(second.Cache.Pile.Verify().IsGood);
    }

    [Fact]
    public void ADamagedEntryIsCountedOnceHoweverOftenItIsComeUpon()
    {
        using var files = new SimulatedFiles();
        Fill(files);
        using var second = new MappedCache(files);
        PileTable<int, byte[]> table = second.Table<int, byte[]>();
        Damage(table, static key => key % 7 == 0);
        int damaged = Enumerable.Range(0, Keys).Count(static key => key % 7 == 0);
        for (int time = 0; time < 3; time++)
        {
            for (int key = 0; key < Keys; key++)
            {
                Assert.Equal(key % 7 != 0, table.TryGet(key, out _));
            }

            Assert.Equal(damaged, second.Cache.GetStatistics().DamagedEntries);
        }

        for (int key = 0; key < Keys; key += 7)
        {
            Assert.True(table.Set(key, RestartTests.Value(key, ValueBytes)).IsStored);
            Assert.True(table.TryGet(key, out _));
        }

        Assert.Equal(damaged, second.Cache.GetStatistics().DamagedEntries);
        table.Clear();
    }

    [Fact]
    public void DamagedEntriesOfACacheInFilesAreMeasured()
    {
        using var files = new SimulatedFiles();
        Fill(files);
        using var second = new MappedCache(files);
        using PileCache inMemory = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        PileTable<int, byte[]> table = second.Table<int, byte[]>();
        Damage(table, static key => key % 7 == 0);
        int damaged = Enumerable.Range(0, Keys).Count(key => !table.TryGet(key, out _));
        Assert.Equal(Enumerable.Range(0, Keys).Count(static key => key % 7 == 0), damaged);
        table.Clear();

        // It is shown to listeners aside, a moment after its open.
        string expected = $"pile.cache.entries.damaged {damaged}: pile.tag={second.Cache.Pile.Tag}";
        Assert.True(SpinWait.SpinUntil(() => CacheMetricsTests.Measure($"pile.cache.entries.damaged {damaged}:").Contains(expected), TimeSpan.FromSeconds(60)), "no measurement came");
        Assert.DoesNotContain($"pile.cache.entries.damaged 0: pile.tag={inMemory.Pile.Tag}", CacheMetricsTests.Measure("pile.cache.entries.damaged 0:"));
    }

    [Fact]
    public void AnOpenThatMeetsADamagedEntryOfASpeculativeTableNamesNoSlot()
    {
        using var files = new SimulatedFiles();
        Fill(files);
        using var second = new MappedCache(files);
        Damage(second.Table<int, byte[]>(), static key => key == 7);
        using SimulatedFiles killed = files.Fork();
        foreach (string name in killed.List(MappedCache.Directory).Where(static name => name.StartsWith("table.", StringComparison.Ordinal)).ToArray())
        {
            killed.Delete($"{MappedCache.Directory}/{name}");
        }

        string message = Assert.Throws<PileCorruptedException>(() => ObjectPile.Open(MappedCache.Directory, MappedCache.Options(killed))).Message;

        // What is damaged is to be gone when the cache is verified in the end.
        second.Table<int, byte[]>().Clear();
        Assert.Contains("an entry of a cache's speculative table is lost", message, StringComparison.Ordinal);
        Assert.DoesNotContain("slot", message, StringComparison.Ordinal);
    }

    /// <summary>Where every read verifies, so are entries in segments that have come since the open.</summary>
    [Fact]
    public void ADamagedEntryOfThisOpenIsAMissWhereEveryReadVerifies()
    {
        using var files = new SimulatedFiles();
        using var pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files) with { VerifyOnRead = PileVerifyOnRead.Always, BackgroundCleaning = false });
        using var cache = new MappedCache(files, shared: pile);
        PileTable<int, byte[]> table = cache.Table<int, byte[]>();
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, RestartTests.Value(key, ValueBytes)).IsStored);
        }

        Damage(table, static key => key % 7 == 0);
        for (int time = 0; time < 2; time++)
        {
            for (int key = 0; key < Keys; key++)
            {
                Assert.Equal(key % 7 != 0, table.TryGet(key, out _));
            }

            Assert.Equal(Enumerable.Range(0, Keys).Count(static key => key % 7 == 0), cache.Cache.GetStatistics().DamagedEntries);
        }

        table.Clear();
    }

    /// <summary>It stands outside of all checksums, because reads change it: what it says is lost, and what they note from then on is not.</summary>
    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    public void AUseOfAnEntryWhoseTimeOfUseIsDamagedCounts(PileTableKind kind, bool isMoved)
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files);
        PileTable<byte[], byte[]> table = cache.Table<byte[], byte[]>(new PileTableOptions { Kind = kind });
        byte[] key = [1, 2, 3, 4];
        var span = TimeSpan.FromSeconds(10);
        table.Set(key, new byte[ValueBytes], new PileEntryOptions { SlidingExpiration = span });
        var core = (TableCore<DurableRecord>)table.Parts;
        long location = CellWord.Location(core.Lookup.Find(key, core.Key(key).Hash).Cell);
        core.Space.WriteWordRelease(core.Reads.TouchOf(location, core.Lookup.HeadA(location)), ulong.MaxValue);
        for (int use = 0; use < 5; use++)
        {
            cache.Clock.Move(span * 0.9);
            Assert.True(table.TryGet(key, out _), $"it ended after {use} uses");
            for (int other = 0; isMoved && other < 500; other++)
            {
                table.Set([5, 6, 7, 8], new byte[300]);
            }

            _ = isMoved ? cache.Cache.Pile.Compact(1.05, TestContext.Current.CancellationToken) : default;
        }

        cache.Clock.Move(span);
        Assert.False(table.TryGet(key, out _));
    }

    [Fact]
    public void TheCleanerDropsDamagedEntriesInsteadOfCopyingThem()
    {
        using var files = new SimulatedFiles();
        Fill(files);
        using var second = new MappedCache(files);
        PileTable<int, byte[]> table = second.Table<int, byte[]>();
        Damage(table, static key => key % 7 == 0);
        for (int key = 0; key < Keys; key++)
        {
            if (key % 3 != 0)
            {
                table.Remove(key);
            }
        }

        _ = second.Cache.Pile.Compact(1.05, TestContext.Current.CancellationToken);
        int there = 0;
        for (int key = 0; key < Keys; key++)
        {
            if (table.TryGet(key, out byte[]? value))
            {
                Assert.Equal(RestartTests.Value(key, ValueBytes), value);
                Assert.True(key % 7 != 0 && key % 3 == 0, $"key {key}");
                there++;
            }
        }

        Assert.Equal(Enumerable.Range(0, Keys).Count(static key => key % 7 != 0 && key % 3 == 0), there);
        Assert.True(table.Count < Enumerable.Range(0, Keys).Count(static key => key % 3 == 0), "nothing was cleaned");
    }

    [Fact]
    public void AfterAKillALargeValueIsVerifiedWhenItIsRead()
    {
        using var files = new SimulatedFiles();
        SimulatedFiles killed;
        using (PileCache first = PileCache.Open(MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, MappedCache.Options(files)))
        {
            PileTable<int, byte[]> table = first.GetOrCreateTable<int, byte[]>("table");
            for (int key = 0; key < 10; key++)
            {
                Assert.True(table.Set(key, RestartTests.Value(key, 40_000)).IsStored);
            }

            DamageLarge(first.Pile, table, key: 3);
            killed = files.Fork();
        }

        using SimulatedFiles left = killed;
        using PileCache second = PileCache.Open(MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, MappedCache.Options(left));
        Assert.Equal(10, Assert.Single(second.Recovery).Entries);
        Assert.Equal(0, second.Pile.GetStatistics().CorruptedObjects);
        PileTable<int, byte[]> found = second.GetOrCreateTable<int, byte[]>("table");
        for (int key = 0; key < 10; key++)
        {
            Assert.Equal(key != 3, found.TryGet(key, out byte[]? value));
            Assert.Equal(key == 3 ? null : RestartTests.Value(key, 40_000), value);
        }

        Assert.Equal(1, second.Pile.GetStatistics().CorruptedObjects);
    }

    /// <summary>A damaged large value is a miss to all who ask, and no entry to those who store where there is none.</summary>
    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void WhereALargeValueIsDamagedThereIsNoEntry(PileTableKind kind)
    {
        using var files = new SimulatedFiles();
        SimulatedFiles killed;
        var options = new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false };
        byte[] again = RestartTests.Value(77, 40_000);
        using (PileCache first = PileCache.Open(MappedCache.Directory, options, MappedCache.Options(files)))
        {
            PileTable<int, byte[]> table = first.GetOrCreateTable<int, byte[]>("table", new PileTableOptions { Kind = kind });
            for (int key = 0; key < 8; key++)
            {
                Assert.True(table.Set(key, RestartTests.Value(key, 40_000)).IsStored);
                DamageLarge(first.Pile, table, key);
            }

            killed = files.Fork();
        }

        using SimulatedFiles left = killed;
        using PileCache second = PileCache.Open(MappedCache.Directory, options, MappedCache.Options(left));
        PileTable<int, byte[]> found = second.GetOrCreateTable<int, byte[]>("table", new PileTableOptions { Kind = kind });
        for (int key = 0; key < 8; key++)
        {
            Assert.False(found.TryGet(key, out _), $"key {key}");
        }

        Assert.False(found.ContainsKey(0));
        Assert.Equal(-1, found.SizeOf(1));
        Assert.Equal(PileSetOutcome.Refused, found.Replace(2, again).Outcome);
        Assert.Equal(PileSetOutcome.Inserted, found.Add(3, again).Outcome);
        Assert.True(found.TryGet(3, out byte[]? stored) && stored.AsSpan().SequenceEqual(again));
        int calls = 0;
        for (int time = 0; time < 2; time++)
        {
            Assert.Equal(again, found.GetOrAdd(4, _ => ++calls > 0 ? again : []));
        }

        Assert.Equal(1, calls);
        Assert.False(found.Remove(5));
        Assert.Equal(PileSetOutcome.Inserted, found.Set(5, again).Outcome);
        Assert.Equal(PileSetOutcome.Inserted, found.Set(6, again).Outcome);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void ADamagedPageOfTheObjectTableIsBuiltAnewByTheSameOpen(int page)
    {
        using var directory = new TemporaryDirectory();
        var options = new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false };
        const int Entries = 10_000;
        using (PileCache first = PileCache.Open(directory.Path, options))
        {
            PileTable<int, int> table = first.GetOrCreateTable<int, int>("table", DurableTests.Durable);
            for (int key = 0; key < Entries; key++)
            {
                Assert.True(table.Set(key, -key).IsStored);
            }
        }

        using (FileStream file = File.Open(Assert.Single(Directory.GetFiles(directory.Path, "table.*")), FileMode.Open))
        {
            // An entry of one slot of the page is cleared, as a page would be that never reached the disk.
            file.Position = TableHeader.Bytes + ((((page * (long)Limits.TablePageSlots) + 1000) * Limits.WordBytes) + 7);
            file.WriteByte(0);
            file.WriteByte(0);
        }

        using PileCache second = PileCache.Open(directory.Path, options);
        Assert.Equal(PileOpening.Crawled, second.Pile.RecoveryReport().Opening);
        Assert.Contains("durable tables", second.Pile.RecoveryReport().Reason, StringComparison.Ordinal);
        Assert.Equal(Entries, Assert.Single(second.Recovery).Entries);
        PileTable<int, int> found = second.GetOrCreateTable<int, int>("table");
        for (int key = 0; key < Entries; key++)
        {
            Assert.True(found.TryGet(key, out int value) && value == -key, $"key {key}");
        }

        Assert.Empty(second.Pile.Verify().Findings);
    }

    /// <summary>Changes the last byte of a value that is an object of its own.</summary>
    private static void DamageLarge(ObjectPile pile, PileTable<int, byte[]> table, int key)
    {
        TableCore<DurableRecord> core = ((IPileTableCore)table).Core.Files!;
        List<long> locations = [];
        core.Walk.List(0, core.Index.Homes, core.Index.Homes, locations);
        long location = locations.Single(at => BinaryPrimitives.ReadInt32LittleEndian(core.Reads.KeyAt(at)) == key);
        ulong pointer = core.Reads.LinkAt(location, core.Lookup.HeadA(location)).Pointer;
        long descriptor = EntryWord.Location(pile.Core.Table.Read(PointerWord.Slot(pointer)));
        LargeDescriptor run = LargeDescriptor.Read(core.Space.Bytes(descriptor, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        core.Space.Bytes(run.RunLocation, 0, run.PayloadBytes)[^1] ^= 0x10;
    }

    private static void Fill(SimulatedFiles files)
    {
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>();
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, RestartTests.Value(key, ValueBytes)).IsStored);
        }
    }

    /// <summary>Changes the last byte of the values of some keys.</summary>
    private static void Damage(PileTable<int, byte[]> table, Predicate<int> isChosen)
    {
        TableCore<DurableRecord> core = ((IPileTableCore)table).Core.Files!;
        List<long> locations = [];
        core.Walk.List(0, core.Index.Homes, core.Index.Homes, locations);
        Assert.Equal(Keys, locations.Count);
        FlatSpace space = core.Space;
        foreach (long location in locations)
        {
            int payloadBytes = RecordWord.PayloadBytes(space.ReadWord(location));
            if (isChosen(BinaryPrimitives.ReadInt32LittleEndian(core.Reads.KeyAt(location))))
            {
                space.Bytes(location, DurableRecord.HeaderBytes, payloadBytes)[^1] ^= 0x10;
            }
        }
    }
}
