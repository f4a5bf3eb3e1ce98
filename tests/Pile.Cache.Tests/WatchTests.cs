// Readers of a table's events: how they wait, begin, go on, fall behind and end.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Engine;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class WatchTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public void AReaderThatFallsBehindLosesTheOldestEventsAndIsToldHowManyInTheirPlace()
    {
        using TinyCache tiny = new();
        PileTable<long, int> table = tiny.Table<long, int>(new PileTableOptions { EventBytes = 65_536 });
        using PileWatch<long> slow = table.Watch();
        using PileWatch<long> quick = table.Watch();
        table.Set(-1, 0);
        Assert.True(slow.TryRead(out PileTableEvent<long> told) && told.Key == -1);
        for (int key = 0; key < 5000; key++)
        {
            table.Set(key, key);
            Assert.True(quick.TryRead(out told));
            Assert.Equal((PileEventKinds.Inserted, key - 1), (told.Kind, told.Key));
        }

        // An event takes 24 bytes and the 8 of its key.
        Assert.True(slow.TryRead(out told));
        Assert.Equal((PileEventKinds.Lost, 5000 - 2048, 1 + 5000 - 2048), (told.Kind, told.LostCount, told.Position.Number));
        Assert.Equal(Enumerable.Range(5000 - 2048, 2048).Select(static key => (long)key), Rest(slow).Select(static one => one.Key));
        Assert.False(slow.TryRead(out _));
    }

    [Fact]
    public void WhoWasToldOfAClearDoesNotReadWhatItsWalkHasNotMet()
    {
        using TinyCache tiny = new();
        PileTable<long, int> table = tiny.Table<long, int>(new PileTableOptions());
        using PileWatch<long> watch = table.Watch();
        table.Set(1, 10);
        table.Set(2, 20);
        table.Parts.Watchers.BeginClear();
        _ = table.Parts.Watchers.TellCleared(((CacheCore<MemoryRecord>)tiny.Cache.Pile.Core.Keyed!).Versions.Drawn());

        Assert.False(table.TryGet(1, out _));
        Assert.False(table.TryGet(1, out _, out PileEntryVersion _));
        table.Set(2, 21);
        Assert.True(table.TryGet(2, out int stored));
        Assert.Equal(21, stored);

        table.Parts.Watchers.EndClear();
        Assert.True(table.TryGet(1, out _));
        table.Clear();
        Assert.False(table.TryGet(1, out _) || table.TryGet(2, out _));
        table.Set(1, 11);
        Assert.True(table.TryGet(1, out stored));
        Assert.Equal(11, stored);
    }

    [Fact]
    public void AWatchGoesOnAfterAPositionAndSaysWhatIsMissing()
    {
        using TinyCache tiny = new();
        PileTable<long, int> table = tiny.Table<long, int>(new PileTableOptions { EventBytes = 65_536 });
        using PileWatch<long> holds = table.Watch();
        PileEventPosition begin = holds.Position;
        for (int key = 0; key < 10; key++)
        {
            table.Set(key, key);
        }

        Assert.True(holds.TryRead(out PileTableEvent<long> first));
        Assert.Equal(first.Position, holds.Position);
        Assert.Equal([1, 2, 3, 4, 5, 6, 7, 8, 9], Rest(After(first.Position)).Select(static one => one.Key));
        Assert.Equal(10, Rest(After(begin)).Length);
        Assert.Empty(Rest(After(begin with { Number = 10 })));
        for (int key = 0; key < 2049; key++)
        {
            table.Set(100 + key, key);
        }

        PileTableEvent<long>[] told = Rest(After(first.Position));
        Assert.Equal((PileEventKinds.Lost, 10), (told[0].Kind, told[0].LostCount));
        Assert.Equal(2049, told.Length);
        foreach (PileEventPosition unknown in new[] { begin with { Stream = begin.Stream + 1 }, begin with { Number = 1_000_000 }, begin with { Number = -1 } })
        {
            using PileWatch<long> watch = table.Watch(new PileWatchOptions { After = unknown });
            table.Set(5, 5);
            told = Rest(watch);
            Assert.Equal([(PileEventKinds.Lost, -1L), (PileEventKinds.Replaced, 0L)], told.Select(static one => (one.Kind, one.LostCount)));
        }

        PileWatch<long> After(PileEventPosition position) => table.Watch(new PileWatchOptions { After = position });
    }

    [Fact]
    public void AWatchBeginsAfterEachOfManyEvents()
    {
        using TinyCache tiny = new();
        PileTable<long, int> table = tiny.Table<long, int>();
        using PileWatch<long> first = table.Watch();
        PileEventPosition begin = first.Position;
        for (long key = 1; key <= 1_000; key++)
        {
            table.Set(key, 1);
        }

        foreach (long passed in new long[] { 0, 1, 255, 256, 257, 511, 512, 513, 999, 1_000 })
        {
            using PileWatch<long> watch = table.Watch(new PileWatchOptions { After = begin with { Number = begin.Number + passed } });
            Assert.Equal(passed < 1_000, watch.TryRead(out PileTableEvent<long> told));
            Assert.Equal(passed < 1_000 ? passed + 1 : 0, told.Key);
        }
    }

    [Fact]
    public async Task AWatchWaitsForEventsAndEndsWithTheTable()
    {
        using TinyCache tiny = new();
        PileTable<string, int> table = tiny.Table<string, int>();
        PileWatch<string> watch = table.Watch();
        Task<List<string>> read = Task.Run(
            async () =>
            {
                List<string> keys = [];
                await foreach (PileTableEvent<string> one in watch.ReadAllAsync(Stop))
                {
                    keys.Add($"{one.Kind} {one.Key}");
                }

                return keys;
            },
            Stop);
        for (int key = 0; key < 1000; key++)
        {
            table.Set($"{key}", key);
        }

        Assert.False(watch.Completion.IsCompleted);
        tiny.Cache.DropTable("table");
        Assert.Equal(Enumerable.Range(0, 1000).Select(static key => $"Inserted {key}"), await read);
        await watch.Completion.WaitAsync(Stop);
        Assert.False(await watch.WaitToReadAsync(Stop));
        Assert.Throws<ObjectDisposedException>(() => table.Watch());
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task AWatchEndsWithTheCacheAndGivesWhatWasToldBefore(bool inFiles, bool isShared)
    {
        TinyCache tiny = new(inFiles: inFiles);
        using ObjectPile pile = ObjectPile.Create();
        using PileCache shared = PileCache.Share(pile);
        PileCache cache = isShared ? shared : tiny.Cache;
        using PileWatch<(int, string)> watch = cache.GetOrCreateTable<(int, string), int>("t").Watch();
        cache.GetOrCreateTable<(int, string), int>("t").Set((1, "a"), 1);
        cache.Dispose();
        Assert.True(await watch.WaitToReadAsync(Stop));
        Assert.Equal((1, "a"), (await watch.ReadAsync(Stop)).Key);
        Assert.False(await watch.WaitToReadAsync(Stop));
        Assert.True(watch.Completion.IsCompletedSuccessfully);
        if (isShared)
        {
            tiny.Dispose();
        }
    }

    [Fact]
    public async Task ADisposedWatchEndsWhoWaitsAndNobodyPaysForItAnyMore()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        PileWatch<int> watch = table.Watch();
        ValueTask<bool> more = watch.WaitToReadAsync(Stop);
        Assert.False(more.IsCompleted);
        watch.Dispose();
        watch.Dispose();
        Assert.False(await more);
        Assert.False(watch.TryRead(out _));
        Assert.Null(table.Parts.Watchers.Ring);
        using PileWatch<int> next = table.Watch();
        Assert.NotEqual(watch.Position.Stream, next.Position.Stream);
    }

    [Fact]
    public async Task CancellationEndsOneWait()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        using PileWatch<int> watch = table.Watch();
        using var cancellation = new CancellationTokenSource();
        ValueTask<bool> more = watch.WaitToReadAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await more);
        table.Set(1, 1);
        Assert.True(await watch.WaitToReadAsync(Stop));
    }

    [Fact]
    public async Task AHandlerIsCalledForEachEventOneAfterTheOther()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        var keys = new List<int>();
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using PileSubscription subscription = table.Subscribe(one =>
        {
            keys.Add(one.Key);
            if (keys.Count == 100)
            {
                all.SetResult();
            }
        });
        for (int key = 0; key < 100; key++)
        {
            table.Set(key, key);
        }

        await all.Task.WaitAsync(Stop);
        Assert.Equal(Enumerable.Range(0, 100), keys);
        Assert.False(subscription.Completion.IsCompleted);
        subscription.Dispose();
        await subscription.Completion.WaitAsync(Stop);
        Assert.Null(table.Parts.Watchers.Ring);
    }

    [Fact]
    public async Task WhatAHandlerThrowsEndsItsSubscriptionAndIsTheExceptionOfItsCompletion()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        using PileSubscription subscription = table.Subscribe(static one => throw new InvalidOperationException($"no {one.Key}"));
        table.Set(1, 1);
        Assert.Equal("no 1", (await Assert.ThrowsAsync<InvalidOperationException>(() => subscription.Completion.WaitAsync(Stop))).Message);
        Assert.Null(table.Parts.Watchers.Ring);
        Assert.True(table.TryGet(1, out _));
    }

    [Fact]
    public void OptionsOutOfRangeAreNamed()
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        Assert.Contains("PileWatchOptions.Kinds", Assert.Throws<ArgumentOutOfRangeException>(() => table.Watch(new PileWatchOptions { Kinds = PileEventKinds.None })).Message, StringComparison.Ordinal);
        Assert.Contains("PileWatchOptions.Kinds", Assert.Throws<ArgumentOutOfRangeException>(() => table.Watch(new PileWatchOptions { Kinds = (PileEventKinds)256 })).Message, StringComparison.Ordinal);
        Assert.All(new[] { 65_535, (1 << 30) + 1 }, bytes => Assert.Contains(
            "PileTableOptions.EventBytes", Assert.Throws<ArgumentOutOfRangeException>(() => tiny.Cache.GetOrCreateTable<int, int>("x", new PileTableOptions { EventBytes = bytes })).Message, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    public void WhoOnlyHearsTheEventsKnowsWhatIsInTheTable(PileTableKind kind, bool inFiles)
    {
        for (int run = 0; run < 3; run++)
        {
            RunMirror(kind, inFiles, Seeds.Next(run));
        }
    }

    private static void RunMirror(PileTableKind kind, bool inFiles, int seed)
    {
        using TinyCache tiny = new(4 << 20, backgroundCleaning: true, inFiles);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Kind = kind, EventBytes = 1 << 20 });
        PileTable<int, byte[]> churn = tiny.Cache.GetOrCreateTable<int, byte[]>("churn");
        var mirror = new EventMirror(static (key, tag) => key % 4 == 0 && tag == "four");
        using PileWatch<int> watch = table.Watch();
        using var failures = new Failures();
        int over = 0;
        Action[] writers = [.. Enumerable.Range(0, 3).Select(writer => (Action)(() =>
        {
            var random = new Random(seed + writer);
            for (int step = 0; step < 6000 && !failures.IsOver; step++)
            {
                Write(table, random);
                _ = random.Next(4) == 0 && churn.Set(random.Next(20_000), new byte[300]).IsStored;
                if (random.Next(100) == 0)
                {
                    tiny.Clock.Move(TimeSpan.FromSeconds(random.Next(-20, 40)));
                }
            }

            Interlocked.Increment(ref over);
        }))];
        failures.Run([
            () =>
            {
                while (Volatile.Read(ref over) < writers.Length)
                {
                    while (watch.TryRead(out PileTableEvent<int> told))
                    {
                        mirror.Take(told);
                    }
                }
            },
            .. writers]);
        // What is kept past its end is shown to nobody, and has not gone: once with it, once when that time is over too.
        Assert.Subset(Told().ToHashSet(), Shown().ToHashSet());
        tiny.Clock.Move(TimeSpan.FromSeconds(100));
        Assert.Equal(Shown().Order(), Told().Order());
        Assert.True(mirror.Counts[PileEventKinds.Expired] > 10 && mirror.Counts[PileEventKinds.Removed] > 10 && mirror.Counts[PileEventKinds.Cleared] > 0 && mirror.Counts[PileEventKinds.TagRemoved] > 0);

        IEnumerable<(int Key, long Version)> Shown()
        {
            return table.Enumerate().Select(item => (item.Key, table.TryGet(item.Key, out _, out PileEntryVersion version) ? version.Number : -1));
        }

        IEnumerable<(int Key, long Version)> Told()
        {
            for (int key = 0; key < 400; key++)
            {
                _ = table.TryGet(key, out _);
            }

            Array.ForEach(Rest(watch), mirror.Take);
            return mirror.Entries.Select(static item => (item.Key, item.Value.Number));
        }
    }

    private static void Write(PileTable<int, byte[]> table, Random random)
    {
        int key = random.Next(400);
        var terms = new PileEntryOptions
        {
            Tags = key % 4 == 0 ? ["four"] : null,
            TimeToLive = random.Next(3) == 0 ? TimeSpan.FromSeconds(random.Next(1, 30)) : null,
            SlidingExpiration = random.Next(8) == 0 ? TimeSpan.FromSeconds(random.Next(1, 30)) : null,
            KeptPastEnd = random.Next(4) == 0 ? TimeSpan.FromSeconds(5) : null,
        };
        switch (random.Next(1000))
        {
            case < 2:
                table.Clear();
                break;
            case < 8:
                table.RemoveByTag("four");
                break;
            case < 200:
                _ = table.Remove(key);
                break;
            case < 400:
                _ = table.TryGet(key, out _);
                break;
            case < 500:
                _ = table.Add(key, new byte[100], terms);
                break;
            case < 510:
                _ = table.Set(key, new byte[40_000], terms);
                break;
            default:
                _ = table.Set(key, new byte[random.Next(300)], terms);
                break;
        }
    }

    private static PileTableEvent<TKey>[] Rest<TKey>(PileWatch<TKey> watch)
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
