using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>The native HybridCache without anything behind it.</summary>
public sealed class HybridCacheTests : IDisposable
{
    private readonly ManualClock _clock = new();
    private readonly PileCache _pile;
    private readonly PileHybridCache _cache;
    private int _made;

    public HybridCacheTests()
    {
        _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20, TimeProvider = _clock });
        _cache = new PileHybridCache(_pile);
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _pile.Dispose();

    [Fact]
    public async Task GetsTheValueIfItExistsOrGeneratesANewEntryFromTheFactory()
    {
        Assert.Equal("1: a", await MakeAsync("a"));
        Assert.Equal("1: a", await MakeAsync("a"));
        Assert.Equal("2: b", await MakeAsync("b"));
        Assert.Equal("state", await _cache.GetOrCreateAsync("c", "state", static (state, _) => new ValueTask<string>(state), cancellationToken: Cancel));
    }

    [Fact]
    public async Task SetsOrOverwritesTheValueAndRemovesItIfItExists()
    {
        await _cache.SetAsync("a", "set", cancellationToken: Cancel);
        Assert.Equal("set", await MakeAsync("a"));
        await _cache.SetAsync("a", "again", cancellationToken: Cancel);
        Assert.Equal("again", await MakeAsync("a"));
        await _cache.RemoveAsync("a", Cancel);
        await _cache.RemoveAsync("none", Cancel);
        Assert.Equal("1: a", await MakeAsync("a"));
    }

    [Fact]
    public async Task ManyKeysAndTagsAreRemovedAndNullIsTreatedAsEmpty()
    {
        await _cache.SetAsync("a", 1, tags: ["x"], cancellationToken: Cancel);
        await _cache.SetAsync("b", 2, tags: ["y"], cancellationToken: Cancel);
        await _cache.RemoveAsync((IEnumerable<string>)null!, Cancel);
        await _cache.RemoveByTagAsync((IEnumerable<string>)null!, Cancel);
        Assert.Equal(1, await PeekAsync<int>("a"));
        await _cache.RemoveByTagAsync(["x", "z"], Cancel);
        Assert.Equal(0, await PeekAsync<int>("a"));
        Assert.Equal(2, await PeekAsync<int>("b"));
        await _cache.RemoveAsync(["a", "b"], Cancel);
        Assert.Equal(0, await PeekAsync<int>("b"));
    }

    [Fact]
    public async Task RemovesAllValuesAssociatedWithTheTagAndTheStarRemovesAll()
    {
        await _cache.SetAsync("a", 1, tags: ["x", "y"], cancellationToken: Cancel);
        await _cache.SetAsync("b", 2, tags: ["y"], cancellationToken: Cancel);
        await _cache.SetAsync("c", 3, cancellationToken: Cancel);
        await _cache.RemoveByTagAsync("x", Cancel);
        Assert.Equal((0, 2, 3), (await PeekAsync<int>("a"), await PeekAsync<int>("b"), await PeekAsync<int>("c")));
        await _cache.SetAsync("a", 4, tags: ["x", "y"], cancellationToken: Cancel);
        Assert.Equal(4, await PeekAsync<int>("a"));
        await _cache.RemoveByTagAsync("*", Cancel);
        Assert.Equal((0, 0, 0), (await PeekAsync<int>("a"), await PeekAsync<int>("b"), await PeekAsync<int>("c")));
    }

    [Fact]
    public async Task AValueThatIsBeingMadeWhileItsTagIsRemovedIsNotKept()
    {
        string made = await _cache.GetOrCreateAsync("a", async token =>
        {
            await _cache.RemoveByTagAsync("x", token);
            return "old";
        }, tags: ["x"], cancellationToken: Cancel);

        Assert.Equal("old", made);
        Assert.Null(await PeekAsync<string>("a"));
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCacheRead)]
    public async Task AValueIsNotKeptWhoseKeyIsRemovedWhileItIsBeingMade(HybridCacheEntryFlags flags)
    {
        _ = await _cache.GetOrCreateAsync("a", async token =>
        {
            await _cache.RemoveAsync("a", token);
            return "old";
        }, new HybridCacheEntryOptions { Flags = flags }, cancellationToken: Cancel);

        Assert.Null(await PeekAsync<string>("a"));
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCacheRead)]
    public async Task AValueIsNotKeptWhoseKeyIsSetWhileItIsBeingMade(HybridCacheEntryFlags flags)
    {
        _ = await _cache.GetOrCreateAsync("a", async token =>
        {
            await _cache.SetAsync("a", "new", cancellationToken: token);
            return "old";
        }, new HybridCacheEntryOptions { Flags = flags }, cancellationToken: Cancel);

        Assert.Equal("new", await PeekAsync<string>("a"));
    }

    [Fact]
    public async Task WhoeverAsksMeanwhileGetsTheValueOfOneFactoryCall()
    {
        var go = new TaskCompletionSource();
        Task<int[]>[] askers = [.. Enumerable.Range(0, 64).Select(_ => _cache.GetOrCreateAsync("a", async _ =>
        {
            Interlocked.Increment(ref _made);
            await go.Task;
            return new[] { 1, 2, 3 };
        }, cancellationToken: Cancel).AsTask())];
        go.SetResult();
        int[][] values = await Task.WhenAll(askers);

        Assert.Equal(1, _made);
        Assert.All(values, static value => Assert.Equal([1, 2, 3], value));

        // A snapshot each: what one caller does to its own, no other sees.
        values[0][0] = 99;
        Assert.Equal(63, values.Count(static value => value[0] == 1));
        Assert.Equal(63, _pile.GetStatistics().FactoryJoins);
    }

    [Fact]
    public async Task WhatTheFactoryThrowsIsThrownAndNotKept()
    {
        InvalidOperationException thrown = await Assert.ThrowsAsync<InvalidOperationException>(async () =>
            await _cache.GetOrCreateAsync<string>("a", static _ => throw new InvalidOperationException("no value"), cancellationToken: Cancel));
        Assert.Equal("no value", thrown.Message);
        Assert.Equal("1: a", await MakeAsync("a"));
    }

    [Fact]
    public async Task TheExpirationCountsAndFiveMinutesWhereNobodySays()
    {
        await _cache.SetAsync("a", 1, new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(10) }, cancellationToken: Cancel);
        await _cache.SetAsync("b", 2, new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(10), LocalCacheExpiration = TimeSpan.FromMinutes(7) }, cancellationToken: Cancel);
        await _cache.SetAsync("c", 3, new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(7), LocalCacheExpiration = TimeSpan.FromHours(1) }, cancellationToken: Cancel);
        await _cache.SetAsync("d", 4, cancellationToken: Cancel);
        _clock.Move(TimeSpan.FromMinutes(5) - TimeSpan.FromTicks(1));
        Assert.Equal((1, 2, 3, 4), (await PeekAsync<int>("a"), await PeekAsync<int>("b"), await PeekAsync<int>("c"), await PeekAsync<int>("d")));
        _clock.Move(TimeSpan.FromTicks(1));
        Assert.Equal((1, 2, 3, 0), (await PeekAsync<int>("a"), await PeekAsync<int>("b"), await PeekAsync<int>("c"), await PeekAsync<int>("d")));
        _clock.Move(TimeSpan.FromMinutes(2));
        Assert.Equal((1, 0, 0), (await PeekAsync<int>("a"), await PeekAsync<int>("b"), await PeekAsync<int>("c")));
        _clock.Move(TimeSpan.FromMinutes(3));
        Assert.Equal(0, await PeekAsync<int>("a"));
    }

    [Fact]
    public async Task TheMostGranularValueIsUsedWithNullsInherited()
    {
        var cache = new PileHybridCache(_pile, new PileHybridCacheOptions
        {
            TableName = "other",
            DefaultEntryOptions = new HybridCacheEntryOptions { Expiration = TimeSpan.FromHours(2), Flags = HybridCacheEntryFlags.DisableLocalCacheWrite },
        });
        await cache.SetAsync("a", 1, cancellationToken: Cancel);
        await cache.SetAsync("b", 1, new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.None }, cancellationToken: Cancel);
        PileTable<string, byte[]> table = _pile.GetOrCreateTable<string, byte[]>("other");
        Assert.False(table.ContainsKey("a"));
        Assert.True(table.TryGetExpiration("b", out DateTimeOffset? end));
        Assert.Equal(_clock.GetUtcNow().AddHours(2), end);
    }

    [Fact]
    public async Task FlagsDisableReadingWritingAndTheUnderlyingData()
    {
        Assert.Equal("1: a", await MakeAsync("a", HybridCacheEntryFlags.DisableLocalCacheWrite));
        Assert.Equal("2: a", await MakeAsync("a"));
        Assert.Equal("3: a", await MakeAsync("a", HybridCacheEntryFlags.DisableLocalCacheRead));
        Assert.Equal("3: a", await MakeAsync("a"));
        Assert.Equal("4: a", await MakeAsync("a", HybridCacheEntryFlags.DisableLocalCache));
        Assert.Equal("3: a", await MakeAsync("a", HybridCacheEntryFlags.DisableCompression));
        Assert.Equal("3: a", await MakeAsync("a", HybridCacheEntryFlags.DisableUnderlyingData));
        Assert.Null(await MakeAsync("b", HybridCacheEntryFlags.DisableUnderlyingData));
        Assert.Null(await MakeAsync("a", HybridCacheEntryFlags.DisableUnderlyingData | HybridCacheEntryFlags.DisableLocalCacheRead));
        Assert.Equal("3: a", await MakeAsync("a"));
        Assert.Equal(4, _made);
    }

    [Fact]
    public async Task TheTokenEndsTheCallAndNotTheFactoryThatOthersWaitFor()
    {
        using var mine = new CancellationTokenSource();
        var go = new TaskCompletionSource();
        var began = new TaskCompletionSource();
        async ValueTask<string> Factory(CancellationToken token)
        {
            began.SetResult();
            await go.Task.WaitAsync(token);
            return "made";
        }

        Task<string> first = _cache.GetOrCreateAsync("a", Factory, cancellationToken: mine.Token).AsTask();
        await began.Task;
        Task<string> second = _cache.GetOrCreateAsync("a", Factory, cancellationToken: Cancel).AsTask();
        await mine.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        go.SetResult();
        Assert.Equal("made", await second);

        var cancelled = new CancellationToken(canceled: true);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.GetOrCreateAsync("a", Factory, cancellationToken: cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.SetAsync("a", "x", cancellationToken: cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.RemoveAsync("a", cancelled));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.RemoveByTagAsync("x", cancelled));
        Assert.Equal("made", await PeekAsync<string>("a"));
    }

    [Fact]
    public async Task EachCallIsCountedOnceAsAHitOrAsAMiss()
    {
        _ = await MakeAsync("a");
        _ = await MakeAsync("a");
        _ = await MakeAsync("a");
        _ = await PeekAsync<string>("b");
        PileCacheStatistics statistics = _pile.GetStatistics();

        Assert.Equal((2, 2, 1), (statistics.Hits, statistics.Misses, statistics.FactoryCalls));
    }

    [Fact]
    public async Task AValueOf40MegabytesIsKept()
    {
        using PileCache large = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 256 << 20 });
        var cache = new PileHybridCache(large);
        byte[] value = new byte[40 << 20];
        new Random(5).NextBytes(value);
        await cache.SetAsync("a", value, cancellationToken: Cancel);

        Assert.Equal(value, await cache.GetOrCreateAsync("a", static _ => new ValueTask<byte[]>([]), cancellationToken: Cancel));
    }

    [Fact]
    public async Task FailSafeOfTheTableIsTheHybridCaches()
    {
        var cache = new PileHybridCache(_pile, new PileHybridCacheOptions { TableName = "safe", Table = new PileTableOptions { Factory = new PileFactoryOptions { FailSafe = TimeSpan.FromHours(1) } } });
        Assert.Equal("first", await cache.GetOrCreateAsync("a", static _ => new ValueTask<string>("first"), cancellationToken: Cancel));
        _clock.Move(TimeSpan.FromMinutes(6));

        Assert.Equal("first", await cache.GetOrCreateAsync<string>("a", static _ => throw new InvalidOperationException(), cancellationToken: Cancel));
        Assert.Equal(1, _pile.GetStatistics().StaleServed);
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCacheRead)]
    public async Task WhatAFactoryHasMadeIsAnsweredWhereADurableTableHasNoRoomForIt(HybridCacheEntryFlags flags)
    {
        var cache = new PileHybridCache(_pile, new PileHybridCacheOptions { TableName = "durable", Table = new PileTableOptions { Kind = PileTableKind.Durable } });
        if (flags == HybridCacheEntryFlags.DisableLocalCacheRead)
        {
            await cache.SetAsync("a", new byte[1], cancellationToken: Cancel);
        }

        byte[] large = new byte[80 << 20];
        var options = new HybridCacheEntryOptions { Flags = flags };
        Assert.Same(large, await cache.GetOrCreateAsync("a", _ => ValueTask.FromResult(large), options, cancellationToken: Cancel));
        await Assert.ThrowsAsync<PileFullException>(async () => await cache.SetAsync("a", large, cancellationToken: Cancel));
        byte[] kept = await cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult(new byte[2]), cancellationToken: Cancel);
        Assert.Equal(flags == HybridCacheEntryFlags.DisableLocalCacheRead ? 1 : 2, kept.Length);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public async Task AnExpirationThatIsNoneIsRefusedToWhoMakesTheValue(int minutes)
    {
        var options = new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(minutes) };
        ArgumentOutOfRangeException refused = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            "Expiration", async () => await _cache.GetOrCreateAsync("a", static _ => new ValueTask<int>(1), options, cancellationToken: Cancel));
        Assert.Contains("HybridCacheEntryOptions.Expiration must be more than zero", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AHitAllocatesNothingForAnUnmanagedValue()
    {
        var value = new Guid("00112233-4455-6677-8899-aabbccddeeff");
        Func<CancellationToken, ValueTask<Guid>> never = static _ => throw new InvalidOperationException();
        await _cache.SetAsync("a", value, new HybridCacheEntryOptions { Expiration = TimeSpan.FromDays(1) }, cancellationToken: Cancel);
        long allocated = -1;
        for (int window = 0; window < 1000 && allocated != 0; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int round = 0; round < 1000; round++)
            {
                Assert.True(IsHit(_cache.GetOrCreateAsync("a", never, cancellationToken: Cancel), value));
            }

            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        Assert.Equal(0, allocated);
    }

    private static bool IsHit(ValueTask<Guid> task, Guid value) => task.IsCompletedSuccessfully && task.Result == value;

    private async Task<T?> PeekAsync<T>(string key) => await _cache.GetOrCreateAsync<T?>(
        key, static _ => throw new InvalidOperationException(), new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableUnderlyingData }, cancellationToken: Cancel);

    private async Task<string?> MakeAsync(string key, HybridCacheEntryFlags flags = HybridCacheEntryFlags.None) => await _cache.GetOrCreateAsync<string?>(
        key, _ => new ValueTask<string?>($"{Interlocked.Increment(ref _made)}: {key}"), new HybridCacheEntryOptions { Flags = flags }, cancellationToken: Cancel);
}
