// What a table does with one key at a time: set, get, remove, conditions, versions.
using System;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class TableTests
{
    [Fact]
    public void WhatIsSetIsGot()
    {
        using TinyCache tiny = new();
        PileTable<string, string> table = tiny.Table<string, string>();

        Assert.Equal(PileSetOutcome.Inserted, table.Set("a", "one").Outcome);
        Assert.Equal(PileSetOutcome.Replaced, table.Set("a", "two").Outcome);

        Assert.True(table.TryGet("a", out string? value));
        Assert.Equal("two", value);
        Assert.False(table.TryGet("b", out _));
        Assert.Equal(1, table.Count);
        Assert.True(table.Remove("a"));
        Assert.False(table.Remove("a"));
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void ManyKeysGrowTheIndexAndAreAllThere()
    {
        using TinyCache tiny = new(64 << 20);
        PileTable<long, long> table = tiny.Table<long, long>();
        for (long key = 0; key < 200_000; key++)
        {
            Assert.Equal(PileSetOutcome.Inserted, table.Set(key, key * 3).Outcome);
        }

        for (long key = 0; key < 200_000; key++)
        {
            Assert.True(table.TryGet(key, out long value), $"{key}");
            Assert.Equal(key * 3, value);
        }

        Assert.Equal(200_000, table.Count);
    }

    [Fact]
    public void ConditionsDecideWhatIsStored()
    {
        using TinyCache tiny = new();
        PileTable<int, string> table = tiny.Table<int, string>();

        Assert.Equal(PileSetOutcome.Refused, table.Replace(1, "x").Outcome);
        Assert.Equal(PileSetOutcome.Inserted, table.Add(1, "one").Outcome);
        Assert.Equal(PileSetOutcome.Refused, table.Add(1, "other").Outcome);
        Assert.True(table.TryGet(1, out string? value, out PileEntryVersion version));
        Assert.Equal("one", value);
        Assert.Equal(PileSetOutcome.Replaced, table.TrySet(1, "two", version).Outcome);
        Assert.Equal(PileSetOutcome.Refused, table.TrySet(1, "three", version).Outcome);
        Assert.False(table.TryRemove(1, version));
        Assert.Equal(PileSetOutcome.Replaced, table.Update(1, "!", static (old, mark) => old + mark).Outcome);
        Assert.True(table.TryGet(1, out value));
        Assert.Equal("two!", value);
    }

    [Fact]
    public void AVersionIsNeverThatOfAnEntryThatWasRemovedAndSetAgain()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        table.Set(1, 1);
        Assert.True(table.TryGet(1, out _, out PileEntryVersion first));
        table.Remove(1);
        table.Set(1, 1);

        Assert.Equal(PileSetOutcome.Refused, table.TrySet(1, 2, first).Outcome);
    }

    [Fact]
    public void ALargeValueIsAnObjectThatGoesWithItsEntry()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<string, byte[]> table = tiny.Table<string, byte[]>();
        byte[] large = new byte[300_000];
        new Random(1).NextBytes(large);

        Assert.Equal(PileSetOutcome.Inserted, table.Set("large", large).Outcome);
        Assert.Equal(1, tiny.Cache.Pile.GetStatistics().Objects);
        Assert.True(table.TryGet("large", out byte[]? value));
        Assert.Equal(large, value);
        Assert.Equal(300_000, table.SizeOf("large"));
        Assert.Equal(PileSetOutcome.Replaced, table.Set("large", new byte[10]).Outcome);
        Assert.Equal(0, tiny.Cache.Pile.GetStatistics().Objects);
    }

    [Fact]
    public void ClearedAndDroppedTablesLeaveNothing()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, string> table = tiny.Table<int, string>();
        for (int key = 0; key < 5000; key++)
        {
            table.Set(key, new string('x', key % 100));
        }

        table.Clear();
        Assert.Equal(0, table.Count);
        Assert.False(table.ContainsKey(7));
        tiny.Verify();
        table.Set(1, "again");
        Assert.True(tiny.Cache.DropTable("table"));
        Assert.Throws<ObjectDisposedException>(() => table.TryGet(1, out _));
        Assert.Throws<ObjectDisposedException>(() => table.Set(1, "x"));
        Assert.Throws<ObjectDisposedException>(() => table.Remove(1));
        Assert.False(tiny.Cache.DropTable("table"));
        Assert.Equal(0, tiny.Cache.Pile.GetStatistics().LiveBytes);
    }

    [Fact]
    public void ACacheInASharedPileThatWasDisposedMakesNoTableAnyMore()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny);
        PileCache cache = PileCache.Share(pile);
        PileTable<int, int> table = cache.GetOrCreateTable<int, int>("table");
        table.Set(1, 1);
        PilePointer kept = pile.PutBytes([1, 2, 3]);
        cache.Dispose();
        cache.Dispose();

        Assert.Throws<ObjectDisposedException>(() => table.Set(1, 1));
        Assert.Throws<ObjectDisposedException>(() => cache.GetOrCreateTable<int, int>("table"));
        Assert.Throws<ObjectDisposedException>(() => cache.DropTable("table"));
        Assert.True(pile.Delete(kept));
        Assert.Equal(0, pile.GetStatistics().LiveBytes);
    }

    [Fact]
    public void AFactoryThatHasNothingToStoreAnswersDisposedTooWhereItsTableWasDropped()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        Assert.Throws<ObjectDisposedException>(() => table.TryGetOrAdd(1, tiny.Cache, static (_, cache) => cache.DropTable("table") ? default(PileAnswer<int>) : new PileAnswer<int>(2), out _));

        // Of one whose value is outdated there is nothing to store either.
        PileTable<int, int> next = tiny.Table<int, int>();
        Assert.Throws<ObjectDisposedException>(() => next.GetOrAdd(1, _ =>
        {
            next.Clear();
            return tiny.Cache.DropTable("table") ? 1 : 2;
        }));
    }

    [Fact]
    public void ATableWithMoreForItAloneThanItMayHoldIsRefused()
    {
        using TinyCache tiny = new();
        ArgumentOutOfRangeException refused = Assert.Throws<ArgumentOutOfRangeException>(
            () => tiny.Cache.GetOrCreateTable<int, int>("t", new PileTableOptions { MinimumBytes = 8_000_001, MaximumBytes = 8_000_000 }));
        Assert.Contains("PileTableOptions.MinimumBytes must be 8,000,000 (MaximumBytes) or less", refused.Message, StringComparison.Ordinal);
        Assert.Equal((8_000_001L, 0), (refused.ActualValue, tiny.Cache.TableNames.Count));
        _ = tiny.Cache.GetOrCreateTable<int, int>("t", new PileTableOptions { MinimumBytes = 8_000_000, MaximumBytes = 8_000_000 });
    }

    [Fact]
    public void ATableOfOtherTypesAnotherKindOrAnotherComparerIsRefused()
    {
        using TinyCache tiny = new();
        _ = tiny.Cache.GetOrCreateTable<string, string>("t");

        Assert.Contains("'t'", Assert.Throws<PileTypeMismatchException>(() => tiny.Cache.GetOrCreateTable<int, string>("t")).Message, StringComparison.Ordinal);
        Assert.Throws<PileTypeMismatchException>(
            () => tiny.Cache.GetOrCreateTable<string, string>("t", new PileTableOptions { Comparer = PileKeyComparers.OrdinalIgnoreCase }));
        PileTypeMismatchException otherKind = Assert.Throws<PileTypeMismatchException>(
            () => tiny.Cache.GetOrCreateTable<string, string>("t", new PileTableOptions { Kind = PileTableKind.Durable }));
        Assert.Contains("is Speculative", otherKind.Message, StringComparison.Ordinal);
        Assert.Contains("Durable, keys", otherKind.Message, StringComparison.Ordinal);
        Assert.Same(tiny.Cache.GetOrCreateTable<string, string>("t"), tiny.Cache.GetOrCreateTable<string, string>("t"));

        PileTable<int, int> durable = tiny.Cache.GetOrCreateTable<int, int>("d", new PileTableOptions { Kind = PileTableKind.Durable });
        Assert.Same(durable, tiny.Cache.GetOrCreateTable<int, int>("d"));
        Assert.Throws<PileTypeMismatchException>(() => tiny.Cache.GetOrCreateTable<int, int>("d", new PileTableOptions { MaximumEntries = 1 }));
    }
}
