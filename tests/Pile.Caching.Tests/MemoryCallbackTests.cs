// Eviction callbacks of IMemoryCache: each called once, with key, reason and state, in the order of its key's changes.
// They come on other threads: tests wait for them.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.Logging.Abstractions;
using Pile.Cache;
using Pile.Cache.Events;
using Pile.Cache.Index;
using Pile.Cache.Keys;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Caching.Tests;

public sealed class MemoryCallbackTests : IDisposable
{
    private readonly ManualClock _clock = new();
    private readonly PileCache _pile;
    private readonly PileMemoryCache _cache;
    private readonly Channel<string> _calls = Channel.CreateUnbounded<string>();

    public MemoryCallbackTests()
    {
        _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, TimeProvider = _clock, BackgroundCleaning = false });
        _cache = new PileMemoryCache(_pile);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private PileTable<object, object> Table => _pile.GetOrCreateTable<object, object>("memory");

    public void Dispose() => _pile.Dispose();

    [Fact]
    public async Task EachWayToGoIsItsReason()
    {
        Set("a", "first");
        Set("a", "second");
        _cache.Remove("a");
        Set("a", "third", TimeSpan.FromSeconds(1));
        _clock.Move(TimeSpan.FromSeconds(1));
        Assert.Null(_cache.Get("a"));
        Set("a", "fourth");
        _ = _cache.Set("a", 5);
        _ = _cache.Set("a", 6);
        Set(("b", 1), "fifth");
        Table.Clear();
        Assert.Equal(["a Replaced first", "a Removed second", "a Expired third", "a Replaced fourth", "(b, 1) Removed fifth"], await TakeAsync(5));
        Set("a", "sixth", TimeSpan.FromSeconds(-1));
        Assert.Equal(["a Expired sixth"], await TakeAsync(1));
    }

    [Fact]
    public async Task WhatHadEndedIsExpiredHoweverItGoesAndWhatAnEndedOneReplacesIsRemoved()
    {
        Set("a", "first", TimeSpan.FromSeconds(1));
        Set("b", "second", TimeSpan.FromSeconds(1));
        _clock.Move(TimeSpan.FromSeconds(1));
        _ = _cache.Set("a", 1);
        _cache.Remove("b");
        Set("c", "third");
        _ = _cache.Set("c", 1, _clock.GetUtcNow().AddSeconds(-1));
        Assert.Equal(["a Expired first", "b Expired second", "c Removed third"], await TakeAsync(3));
    }

    [Fact]
    public async Task WhatLeavesToMakeRoomIsCalledWithCapacityAndEachOnce()
    {
        byte[] value = new byte[1000];
        for (int key = 0; key < 40_000; key++)
        {
            _ = _cache.Set(key, value, Options($"{key}"));
        }

        long there = _cache.GetCurrentStatistics().CurrentEntryCount;
        Assert.InRange(there, 1, 39_000);
        string[] calls = await TakeAsync(40_000 - (int)there);
        Assert.Equal(calls.Length, calls.Distinct().Count());
        Assert.All(calls, call => Assert.True(call.Split(' ') is [var key, "Capacity" or "None", var state] && key == state));
        Assert.All(calls, call => Assert.Null(_cache.Get(int.Parse(call.Split(' ')[0], System.Globalization.CultureInfo.InvariantCulture))));
    }

    [Fact]
    public async Task WhatACallbackThrowsKeepsNoOtherFromBeingCalled()
    {
        var options = new MemoryCacheEntryOptions();
        _ = options.RegisterPostEvictionCallback(static (_, _, _, _) => throw new InvalidOperationException("no"));
        _ = options.RegisterPostEvictionCallback(Note, "second");
        _ = _cache.Set("a", 1, options);
        _cache.Remove("a");
        Set("b", "third");
        _cache.Remove("b");
        Assert.Equal(["a Removed second", "b Removed third"], await TakeAsync(2));
    }

    /// <summary>The events are read by one subscription, which what is thrown there ends.</summary>
    [Fact]
    public async Task WhatTellingOfACallbackThrowsKeepsNoOtherFromBeingCalled()
    {
        var options = new MemoryCacheEntryOptions();
        _ = options.RegisterPostEvictionCallback(static (_, _, _, _) => throw new InvalidOperationException("no"));
        _ = _cache.Set(new Unspeakable(1), 1, options);
        _cache.Remove(new Unspeakable(1));
        Set("b", "second");
        _cache.Remove("b");
        Assert.Equal(["b Removed second"], await TakeAsync(1));
    }

    [Fact]
    public async Task AValueWithoutRoomIsCalledWithCapacityAndAfterDisposeNothingIs()
    {
        _ = _cache.Set("a", new byte[64 << 20], Options("large"));
        Assert.Equal(["a Capacity large"], await TakeAsync(1));
        Set("b", "b");
        _cache.Dispose();
        Table.Remove("b");
        Assert.Null(Table.Parts.Watchers.Ring);
    }

    private MemoryCacheEntryOptions Options(string state) => new MemoryCacheEntryOptions().RegisterPostEvictionCallback(Note, state);

    [Fact]
    public async Task AKeyOfATypeThatIsNotUsedYetKeepsNoCallbackFromBeingCalled()
    {
        string path = System.IO.Path.Combine(System.IO.Path.GetTempPath(), "callbacks-" + Guid.NewGuid().ToString("N"));
        var options = new PileCacheOptions { MemoryLimitBytes = 16 << 20, TimeProvider = _clock, BackgroundCleaning = false };
        try
        {
            using (PileCache first = PileCache.Open(path, options))
            {
                _ = new PileMemoryCache(first).Set(new Late(7), 1);
            }

            _clock.Move(TimeSpan.FromSeconds(1));
            using PileCache again = PileCache.Open(path, options);
            PileTable<object, object> table = again.GetOrCreateTable<object, object>("memory", new PileTableOptions { MaximumEntries = 1 });
            Assert.Equal(1, table.Count);
            using PileWatch<object> watch = table.Watch(new PileWatchOptions { Kinds = PileEventKinds.Evicted });
            using var memory = new PileMemoryCache(again);
            _ = memory.Set("a", 1, Options("first"));
            Assert.True(watch.TryRead(out PileTableEvent<object> told));
            Assert.Null(told.Key);
            Assert.NotEqual(default, told.Version);
            memory.Remove("a");
            Assert.Equal(["a Removed first"], await TakeAsync(1));
        }
        finally
        {
            System.IO.Directory.Delete(path, recursive: true);
        }
    }

    [Fact]
    public void AnEntryThatIsStoredWhileTheAdapterEndsSubscribesToNothing()
    {
        using var callbacks = new MemoryCallbacks(Table, NullLogger.Instance);
        callbacks.Dispose();
        using var entry = (MemoryEntry)_cache.CreateEntry("a");
        entry.Value = 1;
        Assert.True(callbacks.Store(entry, () => Table.Set("a", 1)).IsStored);
        Assert.Null(Table.Parts.Watchers.Ring);
    }

    [Fact]
    public async Task AClearWhoseEventIsLostWhileItGoesOnCallsAllTheSame()
    {
        PileTable<object, object> table = _pile.GetOrCreateTable<object, object>("memory", new PileTableOptions { EventBytes = 1 << 16 });
        using var isBlocked = new ManualResetEventSlim();
        using var goesOn = new ManualResetEventSlim();
        MemoryCacheEntryOptions blocking = new();
        _ = blocking.RegisterPostEvictionCallback((_, _, _, _) =>
        {
            isBlocked.Set();
            Assert.True(goesOn.Wait(TimeSpan.FromMinutes(1), Cancel), "the test did not go on");
        });
        Set("victim", "first");
        Set("marker", "second");
        _ = _cache.Set("blocker", 1, blocking);
        Assert.True(table.TryGet("marker", out object? _, out PileEntryVersion marked));
        _cache.Remove("blocker");
        Assert.True(isBlocked.Wait(TimeSpan.FromMinutes(1), Cancel), "no callback came");

        // The Clear stops before the last chain, its event is overtaken by others, and what comes after those is read.
        TableIndex index = table.Parts.Index;
        List<uint> homes = [.. Enumerable.Range(0, (int)index.Homes).Select(static home => (uint)home)];
        homes.ForEach(index.LockBucket);
        using PileWatch<object> watch = table.Watch();
        Task clear = Task.Run(table.Clear, Cancel);
        while (!(watch.TryRead(out PileTableEvent<object> told) && told.Kind == PileEventKinds.Cleared))
        {
            Assert.True(await watch.WaitToReadAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromMinutes(1), Cancel), "no Clear was told of");
        }

        EventRing ring = table.Parts.Watchers.Ring!;
        lock (ring.Gate)
        {
            for (int other = 0; other < 5000; other++)
            {
                ring.AddLocked(PileEventKinds.TagRemoved, default, default, default);
            }

            byte[]? rented = null;
            ring.AddLocked(PileEventKinds.Removed, marked, default, KeyCodec<object>.Encode(_pile.Pile, "marker", new byte[100], ref rented));
        }

        goesOn.Set();
        Assert.Equal(["marker Removed second"], await TakeAsync(1));
        homes.ForEach(home => index.Unlock(home, hasMoved: false));
        await clear.WaitAsync(TimeSpan.FromMinutes(1), Cancel);
        _ = table.Set("other", 1);
        Assert.Equal(["victim None first"], await TakeAsync(1));
    }

    private void Set(object key, string state, TimeSpan? life = null)
    {
        MemoryCacheEntryOptions options = Options(state);
        options.AbsoluteExpiration = life is { } span ? _clock.GetUtcNow() + span : null;
        _ = _cache.Set(key, 1, options);
    }

    private void Note(object key, object? value, EvictionReason why, object? state)
    {
        Assert.Null(value);
        _ = _calls.Writer.TryWrite($"{key} {why} {state}");
    }

    private async Task<string[]> TakeAsync(int count)
    {
        List<string> calls = [];
        while (calls.Count < count)
        {
            calls.Add(await _calls.Reader.ReadAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromMinutes(1), Cancel));
        }

        Assert.False(_calls.Reader.TryRead(out string? more), more);
        return [.. calls];
    }

    private sealed record Late(int Number);

    private sealed record Unspeakable(int Number)
    {
        public override string ToString() => throw new NotSupportedException("no");
    }
}
