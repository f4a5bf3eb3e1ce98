// Batches and enumeration agree with what the single calls say.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class BatchTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(100)]
    public void ABatchReadsWhatSingleReadsRead(int count)
    {
        using TinyCache tiny = new();
        PileTable<long, long> numbers = tiny.Table<long, long>();
        PileTable<string, byte[]> texts = tiny.Cache.GetOrCreateTable<string, byte[]>("texts");
        long[] keys = Enumerable.Range(0, count).Select(static index => (long)index).ToArray();
        string[] names = keys.Select(static key => key % 7 == 3 ? new string('n', 1000 + (int)key) : $"name {key}").ToArray();
        long[] squares = keys.Select(static key => key * key).ToArray();
        byte[][] blobs = keys.Select(static key => new byte[key % 10 == 4 ? 40_000 : (int)key]).ToArray();
        var outcomes = new PileSetOutcome[count];

        Assert.Equal(count, numbers.SetMany<long, long>(keys, squares, default, outcomes));
        Assert.All(outcomes, static outcome => Assert.Equal(PileSetOutcome.Inserted, outcome));
        Assert.Equal(count, texts.SetMany<string, byte[]>(names, blobs));
        int gone = keys.Count(static key => key % 3 == 1);
        Assert.Equal(gone, numbers.RemoveMany<long, long>(keys.Where(static key => key % 3 == 1).ToArray()));
        Assert.Equal(gone, texts.RemoveMany<string, byte[]>(names.Where((_, key) => key % 3 == 1).ToArray()));

        long[] read = new long[count];
        bool[] found = new bool[count];
        Assert.Equal(count - gone, numbers.GetMany(keys, read.AsSpan(), found));
        byte[]?[] bytes = new byte[]?[count];
        Assert.Equal(count - gone, texts.GetMany<string, byte[]>(names, bytes));
        var visitor = new Lengths { Seen = [] };
        Assert.Equal(count - gone, texts.LeaseMany<string, byte[], Lengths>(names, ref visitor));
        for (int key = 0; key < count; key++)
        {
            Assert.Equal(key % 3 != 1, found[key]);
            Assert.Equal(key % 3 != 1 ? (long)key * key : 0, read[key]);
            Assert.Equal(key % 3 != 1 ? blobs[key].Length : null, bytes[key]?.Length);
            Assert.Equal(key % 3 != 1 ? blobs[key].Length : -1, visitor.Seen[key]);
        }

        Assert.Equal(count, visitor.Seen.Count);
    }

    [Fact]
    public void SpansThatAreTooShortAndADroppedTableAreRefused()
    {
        using TinyCache tiny = new();
        PileTable<long, long> table = tiny.Table<long, long>();

        Assert.Throws<ArgumentException>(() => table.GetMany([1, 2], new long[1].AsSpan()));
        Assert.Throws<ArgumentException>(() => table.GetMany([1, 2], new long[2].AsSpan(), new bool[1]));
        Assert.Throws<ArgumentException>(() => table.SetMany<long, long>([1, 2], [1]));
        tiny.Cache.DropTable("table");
        Assert.Throws<ObjectDisposedException>(() => table.GetMany([1], new long[1].AsSpan()));
        Assert.Throws<ObjectDisposedException>(() => table.RemoveMany<long, long>([1]));
        Assert.Throws<ObjectDisposedException>(() => table.Enumerate().Count());
    }

    [Fact]
    public void AVisitorThatThrowsLeavesNothingHeld()
    {
        using TinyCache tiny = new();
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        table.Set(1, new byte[10]);
        table.Set(2, new byte[40_000]);
        foreach (int key in new[] { 1, 2 })
        {
            Assert.Throws<InvalidOperationException>(() =>
            {
                var visitor = default(Thrower);
                table.LeaseMany<int, byte[], Thrower>([key], ref visitor);
            });
        }

        // Disposing waits for whoever is inside: the test would fail there.
    }

    [Fact]
    public void AnEnumerationMeetsEachEntryOnceWhileOthersComeAndGo()
    {
        using TinyCache tiny = new(32 << 20, backgroundCleaning: true);
        PileTable<int, int> table = tiny.Table<int, int>(new PileTableOptions { Kind = PileTableKind.Durable });
        for (int key = 0; key < 5000; key++)
        {
            table.Set(key, -key);
        }

        bool isOver = false;
        var thread = new Thread(() =>
        {
            for (int round = 0; !Volatile.Read(ref isOver); round++)
            {
                for (int key = 10_000; key < 60_000 && !Volatile.Read(ref isOver); key++)
                {
                    _ = round % 2 == 0 ? table.Set(key, key).IsStored : table.Remove(key);
                }
            }
        });
        thread.Start();
        for (int round = 0; round < 30; round++)
        {
            var met = new HashSet<int>();
            foreach ((int key, int value) in table.Enumerate())
            {
                Assert.True(met.Add(key), $"key {key} twice");
                Assert.Equal(key < 10_000 ? -key : key, value);
            }

            Assert.Equal(5000, met.Count(static key => key < 10_000));
        }

        Volatile.Write(ref isOver, true);
        thread.Join();
    }

    [Fact]
    public void AnEnumerationShowsNothingThatHasEndedAndLargeValuesToo()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        table.Set(1, new byte[100_000]);
        table.Set(2, new byte[10], new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1) });
        table.Set(3, []);
        tiny.Clock.Move(TimeSpan.FromSeconds(1));

        Assert.Equal([(1, 100_000), (3, 0)], table.Enumerate().Select(static item => (item.Key, item.Value.Length)).Order());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnEnumerationIsNoUseOfLargeValuesEither(bool inFiles)
    {
        using TinyCache tiny = new(32 << 20, inFiles: inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>();
        var sliding = new PileEntryOptions { SlidingExpiration = TimeSpan.FromSeconds(10) };
        table.Set(1, new byte[100_000], sliding);
        table.Set(2, new byte[10], sliding);
        tiny.Clock.Move(TimeSpan.FromSeconds(9));

        Assert.Equal([(1, 100_000), (2, 10)], table.Enumerate().Select(static item => (item.Key, item.Value.Length)).Order());
        Assert.Equal(0, table.GetStatistics().Hits);
        tiny.Clock.Move(TimeSpan.FromSeconds(1));
        Assert.False(table.ContainsKey(2));
        Assert.False(table.ContainsKey(1));
    }

    [Fact]
    public void WhatStandsBeforeANullInItsGroupIsNotStoredAndBeforeANullValueIs()
    {
        using TinyCache tiny = new();
        PileTable<string, string> table = tiny.Table<string, string>();
        string[] keys = [.. Enumerable.Range(0, 16).Select(static key => $"{key}"), "16", null!];
        Assert.Throws<ArgumentNullException>(() => table.SetMany<string, string>(keys, keys));
        Assert.True(table.ContainsKey("15"));
        Assert.False(table.ContainsKey("16"));
        Assert.Throws<ArgumentNullException>(() => table.SetMany<string, string>(["16", "17"], ["16", null!]));
        Assert.True(table.ContainsKey("16"));
    }

    private struct Lengths : IPileVisitor
    {
        internal List<int> Seen;

        public readonly void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes)
        {
            Assert.Equal(Seen.Count, index);
            Seen.Add(status == PileStatus.Ok ? bytes.Length : -1);
        }
    }

    private struct Thrower : IPileVisitor
    {
        public readonly void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes) => throw new InvalidOperationException();
    }
}
