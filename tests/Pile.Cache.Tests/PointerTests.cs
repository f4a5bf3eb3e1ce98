using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Objects of the pile under several keys: counted, gone with the last key, and never before.</summary>
public sealed class PointerTests
{
    public static TheoryData<PileTableKind, bool, int> Kinds => new()
    {
        { PileTableKind.Speculative, false, 100 },
        { PileTableKind.Durable, false, 100 },
        { PileTableKind.Speculative, true, 100 },
        { PileTableKind.Durable, true, 100 },
        { PileTableKind.Speculative, false, 100_000 },
        { PileTableKind.Speculative, true, 100_000 },
        { PileTableKind.Durable, true, 100_000 },
    };

    [Theory]
    [MemberData(nameof(Kinds))]
    public void AnObjectUnderSeveralKeysAndTablesGoesWithTheLastAndNotBefore(PileTableKind kind, bool inFiles, int bytes)
    {
        using var tiny = new TinyCache(inFiles: inFiles);
        PileTable<int, byte[]> first = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        PileTable<string, byte[]> second = tiny.Cache.GetOrCreateTable<string, byte[]>("other");
        byte[] value = RestartTests.Value(7, bytes);
        PilePointer pointer = tiny.Cache.Pile.Put(value);
        Assert.Equal(PileSetOutcome.Inserted, first.SetPointer(1, pointer).Outcome);
        Assert.Equal(PileSetOutcome.Inserted, first.SetPointer(2, pointer).Outcome);
        Assert.Equal(PileSetOutcome.Inserted, second.SetPointer("three", pointer).Outcome);
        Assert.Equal(PileSetOutcome.Replaced, first.SetPointer(2, pointer).Outcome);
        foreach (int key in new[] { 1, 2 })
        {
            Assert.True(first.TryGetPointer(key, out PilePointer found) && found == pointer);
            Assert.True(first.TryGet(key, out byte[]? got));
            Assert.Equal(value, got);
        }

        Assert.True(first.Remove(1));
        Assert.Equal(PileSetOutcome.Replaced, first.Set(2, [1]).Outcome);
        Settle(tiny);
        Assert.Equal(value, tiny.Cache.Pile.Get<byte[]>(pointer));
        Assert.True(second.TryGet("three", out byte[]? last));
        Assert.Equal(value, last);
        Assert.True(second.Remove("three"));
        Settle(tiny);
        Assert.False(tiny.Cache.Pile.TryGet(pointer, out byte[]? _));
        Assert.Throws<PileStaleException>(() => first.SetPointer(1, pointer));
        Assert.False(first.ContainsKey(1));
        Assert.Equal(0, tiny.Cache.Core.Shared.Count);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void EveryReadShowsTheObject(PileTableKind kind, bool inFiles, int bytes)
    {
        using var tiny = new TinyCache(inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        byte[] value = RestartTests.Value(7, bytes);
        PilePointer pointer = tiny.Cache.Pile.Put(value);
        table.SetPointer(1, pointer);
        byte[] target = new byte[bytes];
        Assert.True(table.TryGet(1, target, out int written));
        Assert.Equal(bytes, written);
        Assert.Equal(value, target);
        Assert.False(table.TryGet(1, target.AsSpan(1), out written));
        Assert.Equal(bytes, written);
        var writer = new ArrayBufferWriter<byte>();
        Assert.True(table.TryGet(1, writer));
        Assert.Equal(value, writer.WrittenSpan);
        Assert.True(table.TryLease(1, out PileLease lease));
        Assert.True(lease.Bytes.SequenceEqual(value));
        lease.Dispose();
        byte[]?[] many = new byte[2][];
        Assert.Equal(1, table.GetMany([1, 2], many));
        Assert.Equal(value, many[0]);
        Assert.Equal(value, Assert.Single(table.Enumerate()).Value);
        Assert.Equal(bytes, table.SizeOf(1));
        Assert.True(table.ContainsKey(1));
        Assert.Equal(value, table.GetOrAdd(1, static _ => []));

        // Seen under all keys: it is one object.
        byte[] longer = RestartTests.Value(8, bytes + 50_000);
        tiny.Cache.Pile.Update(pointer, longer);
        Assert.Equal(bytes + 50_000, table.SizeOf(1));
        Assert.True(table.TryGet(1, out byte[]? updated, out PileEntryVersion version));
        Assert.Equal(longer, updated);

        // Another value takes the place of the key's, and leaves the object to the others.
        table.SetPointer(2, pointer);
        Assert.Equal(PileSetOutcome.Replaced, table.TrySet(1, [1], version).Outcome);
        Assert.Equal(PileSetOutcome.Replaced, table.Update(2, 0, static (old, _) => old[..2]).Outcome);
        Assert.False(table.TryGetPointer(1, out PilePointer none) || !none.IsNull);
        Assert.True(table.TryGet(2, out byte[]? cut));
        Assert.Equal(longer[..2], cut);
        Settle(tiny);
        Assert.False(tiny.Cache.Pile.TryGet(pointer, out byte[]? _));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ValuesOfEveryLaneAreShared(bool inFiles)
    {
        using var tiny = new TinyCache(inFiles: inFiles);
        ObjectPile pile = tiny.Cache.Pile;
        Share(tiny, "text", 1);
        Share(tiny, "w\u0950de", 2);
        Share(tiny, 42L, 3);
        Share(tiny, new[] { 1, 2, 3 }, 4);
        Share(tiny, new Dictionary<string, int> { ["a"] = 1 }, 5);
        PileTable<int, string> texts = tiny.Cache.GetOrCreateTable<int, string>("texts");
        PileTable<int, long> numbers = tiny.Cache.GetOrCreateTable<int, long>("numbers");
        PileTable<int, byte[]> bytes = tiny.Cache.GetOrCreateTable<int, byte[]>("bytes");
        PilePointer text = pile.Put("text");
        string message = Assert.Throws<PileTypeMismatchException>(() => bytes.SetPointer(1, text)).Message;
        Assert.EndsWith("holds a string, which can't be read as System.Byte[]. Set it in a table whose values are of the type that it was put as.", message, StringComparison.Ordinal);
        Assert.Throws<PileTypeMismatchException>(() => numbers.SetPointer(1, text));
        Assert.Throws<PileTypeMismatchException>(() => texts.SetPointer(1, pile.Put(new Dictionary<string, int>())));
        Assert.Throws<PileTypeMismatchException>(() => numbers.SetPointer(1, pile.Put(1)));
        Assert.Equal("text", pile.Get<string>(text));
        Assert.False(texts.ContainsKey(1) || numbers.ContainsKey(1) || bytes.ContainsKey(1));

        static void Share<T>(TinyCache tiny, T value, int key)
            where T : notnull
        {
            PileTable<int, T> table = tiny.Cache.GetOrCreateTable<int, T>($"of {typeof(T)} {key}");
            table.SetPointer(key, tiny.Cache.Pile.Put(value));
            Assert.True(table.TryGet(key, out T? got));
            Assert.Equivalent(value, got, strict: true);
        }
    }

    [Fact]
    public void PointersThatLeadToNothingAreRefusedByName()
    {
        using var tiny = new TinyCache();
        using ObjectPile other = ObjectPile.Create(PileOptions.Tiny);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        Assert.Equal(PileStatus.WrongPile, Assert.Throws<PileException>(() => table.SetPointer(1, PilePointer.Null)).Status);
        Assert.Equal(PileStatus.WrongPile, Assert.Throws<PileException>(() => table.SetPointer(1, other.Put(new byte[10]))).Status);
        PilePointer deleted = tiny.Cache.Pile.Put(new byte[10]);
        tiny.Cache.Pile.Delete(deleted);
        PileStaleException stale = Assert.Throws<PileStaleException>(() => table.SetPointer(1, deleted));
        Assert.Contains(deleted.ToString(), stale.Message, StringComparison.Ordinal);
        Assert.Equal(0, table.Count);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void WhatTheProgramDeletesIsAMissAndTheKeyIsFree(PileTableKind kind, bool inFiles, int bytes)
    {
        using var tiny = new TinyCache(inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind });
        PilePointer pointer = tiny.Cache.Pile.Put(new byte[bytes]);
        table.SetPointer(1, pointer);
        table.SetPointer(2, pointer);
        Assert.True(tiny.Cache.Pile.Delete(pointer));
        Assert.False(table.TryGet(1, out byte[]? _));
        Assert.False(table.ContainsKey(1));
        Assert.False(table.TryGetPointer(1, out _));
        Assert.Equal(-1, table.SizeOf(1));
        Assert.Empty(table.Enumerate());
        Assert.Equal(PileSetOutcome.Inserted, table.Add(1, [5]).Outcome);
        Assert.True(table.TryGet(1, out byte[]? value));
        Assert.Equal([5], value);
        Assert.False(table.Remove(2));
        Settle(tiny);
        Assert.Equal(0, tiny.Cache.Core.Shared.Count);
    }

    [Fact]
    public void AValueThatSetStoredHasNoPointer()
    {
        using var tiny = new TinyCache(inFiles: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        table.Set(1, [1]);
        table.Set(2, new byte[100_000]);
        Assert.False(table.TryGetPointer(1, out PilePointer pointer) || !pointer.IsNull);
        Assert.False(table.TryGetPointer(2, out pointer) || !pointer.IsNull);
        Assert.False(table.TryGetPointer(3, out pointer) || !pointer.IsNull);
    }

    [Theory]
    [InlineData("expiry", false)]
    [InlineData("expiry", true)]
    [InlineData("tag", false)]
    [InlineData("tag", true)]
    [InlineData("clear", false)]
    [InlineData("clear", true)]
    [InlineData("drop", false)]
    [InlineData("drop", true)]
    [InlineData("limit", false)]
    [InlineData("limit", true)]
    [InlineData("eviction", false)]
    [InlineData("eviction", true)]
    public void HoweverTheLastKeyGoesTheObjectGoesWithIt(string way, bool inFiles)
    {
        foreach (PileTableKind kind in way is "limit" or "eviction" ? [PileTableKind.Speculative] : new[] { PileTableKind.Speculative, PileTableKind.Durable })
        {
            using var tiny = new TinyCache(inFiles: inFiles);
            PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind, MaximumEntries = way == "limit" ? 10 : null });
            PilePointer[] pointers = [.. Enumerable.Range(0, 10).Select(item => tiny.Cache.Pile.Put(new byte[20_000 * (item % 2)]))];
            for (int key = 0; key < 20; key++)
            {
                table.SetPointer(key, pointers[key / 2], new PileEntryOptions { TimeToLive = way == "expiry" ? TimeSpan.FromSeconds(1) : null, Tags = way == "tag" ? ["news"] : null });
            }

            Assert.InRange(pointers.Count(pointer => tiny.Cache.Pile.TryGet(pointer, out byte[]? _)), way == "limit" ? 5 : 10, 10);
            End(way, tiny, table);
            Settle(tiny);
            Settle(tiny);
            Assert.DoesNotContain(pointers, pointer => tiny.Cache.Pile.TryGet(pointer, out byte[]? _));
            Assert.Equal(0, tiny.Cache.Core.Shared.Count);
        }
    }

    [Fact]
    public void ASetPointerWithoutRoomLeavesTheObjectToTheProgram()
    {
        using var tiny = new TinyCache(inFiles: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { MaximumBytes = 1000 });
        PilePointer pointer = tiny.Cache.Pile.Put(new byte[5000]);
        table.Set(1, [1]);
        Assert.Equal(PileSetOutcome.Full, table.SetPointer(1, pointer).Outcome);
        Assert.Equal(PileSetOutcome.Expired, table.SetPointer(2, pointer, new PileEntryOptions { AbsoluteExpiration = tiny.Clock.GetUtcNow() }).Outcome);
        Settle(tiny);
        Assert.True(table.TryGet(1, out byte[]? value));
        Assert.Equal([1], value);
        Assert.Equal(5000, tiny.Cache.Pile.Get<byte[]>(pointer).Length);
        Assert.Equal(0, tiny.Cache.Core.Shared.Count);
    }

    [Fact]
    public void WhatAnEntrySharesIsSharedStillWhenFailSafeKeepsIt()
    {
        using var tiny = new TinyCache();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        PilePointer pointer = tiny.Cache.Pile.Put(new byte[] { 1, 2 });
        table.SetPointer(1, pointer, new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1), KeptPastEnd = TimeSpan.FromHours(1) });
        tiny.Clock.Move(TimeSpan.FromSeconds(2));
        Assert.False(table.TryGetPointer(1, out _));
        var options = new PileFactoryOptions { FailSafe = TimeSpan.FromHours(1), FailSafeThrottle = TimeSpan.FromMinutes(1) };
        Assert.Equal([1, 2], table.GetOrAdd(1, static _ => throw new InvalidOperationException("down"), options));
        Assert.True(table.TryGetPointer(1, out PilePointer kept) && kept == pointer);
        Assert.True(table.Remove(1));
        Assert.False(tiny.Cache.Pile.TryGet(pointer, out byte[]? _));
    }

    [Fact]
    public void AClearOfThePileForgetsWhatWasShared()
    {
        using var tiny = new TinyCache(inFiles: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(DurableTests.Durable);
        PilePointer pointer = tiny.Cache.Pile.Put(new byte[10]);
        table.SetPointer(1, pointer);
        tiny.Cache.Pile.Clear();
        Assert.Equal(0, tiny.Cache.Core.Shared.Count);
        Assert.Equal(0, tiny.Cache.Core.Shared.TakenBytes);
        tiny.Verify();
        PilePointer next = tiny.Cache.Pile.Put(new byte[10]);
        table.SetPointer(1, next);
        Assert.Throws<PileStaleException>(() => table.SetPointer(2, pointer));
        Assert.True(table.TryGet(1, out byte[]? _));
    }

    [Fact]
    public void TheCountsAreCountedInTheLimitAndGivenBack()
    {
        using var tiny = new TinyCache();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        for (int key = 0; key < 1000; key++)
        {
            Assert.True(table.SetPointer(key, tiny.Cache.Pile.Put(new byte[10])).IsStored);
        }

        Assert.InRange(tiny.Cache.Core.Shared.TakenBytes, 1000 * 48, 1000 * 200);
        tiny.Verify();
        table.Clear();
        tiny.Tick(1);
        Assert.Equal(0, tiny.Cache.Core.Shared.Count);
        Assert.InRange(tiny.Cache.Core.Shared.TakenBytes, 0, 20_000);
        tiny.Verify();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ACacheThatLeavesASharedPileTakesItsObjectsAlongInMemoryAndKeepsThemInFiles(bool inFiles)
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = inFiles ? ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files)) : ObjectPile.Create(PileOptions.Tiny);
        PilePointer pointer = pile.Put("shared");
        using (PileCache cache = PileCache.Share(pile))
        {
            cache.GetOrCreateTable<int, string>("one").SetPointer(1, pointer);
            cache.GetOrCreateTable<int, string>("two").SetPointer(1, pointer);
        }

        Assert.Equal(inFiles, pile.TryGet(pointer, out string? text) && text == "shared");
    }

    internal static void Settle(TinyCache tiny)
    {
        if (tiny.Cache.Pile.Durable is not null)
        {
            tiny.Cache.Pile.Commit();
        }

        tiny.Tick(1);
    }

    private static void End(string way, TinyCache tiny, PileTable<int, byte[]> table)
    {
        switch (way)
        {
            case "expiry":
                tiny.Clock.Move(TimeSpan.FromSeconds(2));
                tiny.Tick(1);
                break;
            case "tag":
                table.RemoveByTag("news");
                tiny.Clock.Move(TimeSpan.FromMinutes(1));
                tiny.Tick(1);
                break;
            case "clear":
                table.Clear();
                break;
            case "drop":
                Assert.True(tiny.Cache.DropTable("table"));
                break;
            case "limit":
                for (int key = 100; key < 200; key++)
                {
                    Assert.True(table.Set(key, [1]).IsStored);
                }

                break;
            default:
                byte[] value = new byte[1000];
                for (int key = 100; key < 16_000; key++)
                {
                    if (key % 1000 == 0)
                    {
                        Settle(tiny);
                    }

                    Assert.True(table.Set(key, value).IsStored);
                }

                break;
        }
    }
}
