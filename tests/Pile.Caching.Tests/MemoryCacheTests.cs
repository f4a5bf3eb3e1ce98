using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Hosting.Tests;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>IMemoryCache, member by member as docs/FROM-MEMORYCACHE.md lists them.</summary>
public sealed class MemoryCacheTests : IDisposable
{
    private readonly ManualClock _clock = new();
    private readonly PileCache _pile;
    private readonly PileMemoryCache _cache;

    public MemoryCacheTests()
    {
        _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, TimeProvider = _clock });
        _cache = new PileMemoryCache(_pile);
    }

    private enum Kind
    {
        One = 1,
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _pile.Dispose();

    [Fact]
    public async Task SetGetTryGetValueAndGetOrCreateAreThere()
    {
        Assert.False(_cache.TryGetValue("a", out object? none));
        Assert.Null(none);
        _ = _cache.Set("a", "one");
        Assert.Equal("one", _cache.Get<string>("a"));
        Assert.True(_cache.TryGetValue("a", out string? text) && text == "one");
        Assert.Equal("one", _cache.Get("a"));
        Assert.Equal(2, _cache.GetOrCreate("b", static _ => 2));
        Assert.Equal(2, _cache.GetOrCreate("b", static _ => 3));
        Assert.Equal(4, await _cache.GetOrCreateAsync("c", static _ => Task.FromResult(4)));
        _cache.Remove("a");
        _cache.Remove("a");
        Assert.Null(_cache.Get("a"));
    }

    [Fact]
    public void AnEntryIsASnapshot()
    {
        List<int> stored = [1, 2];
        _ = _cache.Set("a", stored);
        stored.Add(3);
        List<int>? first = _cache.Get<List<int>>("a");
        Assert.Equal([1, 2], first);
        first!.Add(4);
        Assert.Equal([1, 2], _cache.Get<List<int>>("a"));
    }

    [Fact]
    public void NullIsAValueAndValuesOfAllKindsComeBackAsWhatTheyWere()
    {
        foreach (object? value in (object?[])[null, 1, 2L, 1.5, 1.5m, true, 'c', "text", Kind.One, new Guid("00112233-4455-6677-8899-aabbccddeeff"), DateTimeOffset.UnixEpoch, ("tuple", 1), new Named("record", 2)])
        {
            _ = _cache.Set("a", value);
            Assert.True(_cache.TryGetValue("a", out object? back));
            Assert.Equal(value, back);
            Assert.Equal(value?.GetType(), back?.GetType());
        }

        _ = _cache.Set("a", new byte[] { 1, 2 });
        Assert.Equal([1, 2], _cache.Get<byte[]>("a"));
    }

    [Fact]
    public void KeysOfAllKindsAreToldApartByTypeAndByWhatTheyHold()
    {
        object[] keys = [1, 2, "1", '1', Kind.One, new Guid("00112233-4455-6677-8899-aabbccddeeff"), ("1", 1), ("1", 2), new Named("a", 1), new Named("b", 1), DateTimeOffset.UnixEpoch, ((byte)1, 7L)];
        for (int index = 0; index < keys.Length; index++)
        {
            _ = _cache.Set(keys[index], index);
        }

        object[] equal = [1, 2, "1", '1', Kind.One, new Guid("00112233-4455-6677-8899-aabbccddeeff"), ("1", 1), ("1", 2), new Named("a", 1), new Named("b", 1), DateTimeOffset.UnixEpoch, ((byte)1, 7L)];
        for (int index = 0; index < keys.Length; index++)
        {
            Assert.Equal(index, _cache.Get<int>(equal[index]));
        }

        Assert.Equal(keys.Length, _cache.GetCurrentStatistics().CurrentEntryCount);
    }

    [Fact]
    public void KeysThatHoldNothingAndAreComparedByReferenceAreRefusedByEveryMember()
    {
        foreach (object key in (object[])[new object(), Made<Lock>(), new Bare(), new Unkept(), EventArgs.Empty, (new object(), 1), Tuple.Create("a", ("b", new Bare()))])
        {
            foreach (Action use in (Action[])[() => _cache.TryGetValue(key, out object? _), () => _cache.CreateEntry(key), () => _cache.Remove(key), () => _cache.Set(key, 1)])
            {
                ArgumentException refused = Assert.Throws<ArgumentException>("key", use);
                Assert.Contains("can't be told from others", refused.Message, StringComparison.Ordinal);
                Assert.Contains("Take a text, a Type, an enum or a record as the key", refused.Message, StringComparison.Ordinal);
            }
        }

        Assert.Contains("A key that is System.Object can't", Assert.Throws<ArgumentException>(() => _cache.Get(new object())).Message, StringComparison.Ordinal);
        Assert.Contains("has a System.Object in it", Assert.Throws<ArgumentException>(() => _cache.Get((new object(), 1))).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void KeysThatAreEqualByWhatTheyAreAndThoseWithContentAreKept()
    {
        foreach ((object key, object equal) in ((object, object)[])[(new Marker(), new Marker()), (typeof(Bare), typeof(Bare)), (DBNull.Value, DBNull.Value), (StringComparer.Ordinal, StringComparer.Ordinal), (default(ValueTuple), default(ValueTuple)), (("a", (string?)null), ("a", (string?)null)), (new int[] { 1 }, new int[] { 1 }), (new List<int>(), new List<int>())])
        {
            _ = _cache.Set(key, 1);
            Assert.Equal(1, _cache.Get(equal));
        }

        Assert.Equal(8, _cache.GetCurrentStatistics().CurrentEntryCount);
    }

    [Fact]
    public void EndsCountToTheTick()
    {
        _ = _cache.Set("at", 1, _clock.GetUtcNow().AddMinutes(1));
        _ = _cache.Set("after", 1, TimeSpan.FromMinutes(1));
        _ = _cache.Set("slides", 1, new MemoryCacheEntryOptions { SlidingExpiration = TimeSpan.FromMinutes(1) });
        _clock.Move(TimeSpan.FromMinutes(1) - TimeSpan.FromTicks(1));
        Assert.Equal((1, 1, 1), (_cache.Get("at"), _cache.Get("after"), _cache.Get("slides")));
        _clock.Move(TimeSpan.FromTicks(1));
        Assert.Equal((null, null, 1), (_cache.Get("at"), _cache.Get("after"), _cache.Get("slides")));
        _clock.Move(TimeSpan.FromMinutes(1));
        Assert.Null(_cache.Get("slides"));
    }

    [Theory]
    [InlineData(CacheItemPriority.Low, PileCachePriority.Low)]
    [InlineData(CacheItemPriority.Normal, PileCachePriority.Normal)]
    [InlineData(CacheItemPriority.High, PileCachePriority.High)]
    [InlineData(CacheItemPriority.NeverRemove, PileCachePriority.NeverRemove)]
    public void PrioritiesAreThoseOfThePile(CacheItemPriority priority, PileCachePriority expected)
    {
        _ = _cache.Set("a", 1, new MemoryCacheEntryOptions { Priority = priority });

        Assert.Equal(1, _pile.GetOrCreateTable<object, object>("memory").Parts.Counts.EntriesOf((int)expected));
    }

    [Fact]
    public void AnEntryWithoutAValueIsNotStoredAndOneIsStoredOnce()
    {
        _cache.CreateEntry("a").Dispose();
        Assert.Equal(0, _cache.GetCurrentStatistics().CurrentEntryCount);
        ICacheEntry entry = _cache.CreateEntry("a");
        entry.Value = 1;
        Assert.Null(_cache.Get("a"));
        entry.Dispose();
        _cache.Remove("a");
        entry.Dispose();
        Assert.Null(_cache.Get("a"));
        Assert.Equal("a", entry.Key);
    }

    [Fact]
    public void TokensAreRefusedWithTheWayOut()
    {
        using var source = new CancellationTokenSource();
        var options = new MemoryCacheEntryOptions();
        _ = options.AddExpirationToken(new CancellationChangeToken(source.Token));

        NotSupportedException refused = Assert.Throws<NotSupportedException>(() => _cache.Set("a", 1, options));
        Assert.Contains("The entry 'a' has 1 expiration tokens", refused.Message, StringComparison.Ordinal);
        Assert.Contains("a tag (PileEntryOptions.Tags", refused.Message, StringComparison.Ordinal);
        Assert.Null(_cache.Get("a"));
    }

    [Fact]
    public void AValueThatIsNothingButItselfIsRefusedByNameAndNullIsKept()
    {
        _ = _cache.Set("a", "former");
        foreach ((object value, string name) in ((object, string)[])[(new object(), "Object"), (Made<Lock>(), "Lock")])
        {
            PileRefusedException refused = Assert.Throws<PileRefusedException>(() => _cache.GetOrCreate("lock", _ => value));
            Assert.Equal(name, refused.GraphPath);
            Assert.StartsWith($"{name}: System.{(name == "Lock" ? "Threading." : "")}{name} can't be stored", refused.Message, StringComparison.Ordinal);
            Assert.Contains("ConcurrentDictionary", refused.Message, StringComparison.Ordinal);
            Assert.Throws<PileRefusedException>(() => _cache.Set("a", value, new MemoryCacheEntryOptions().RegisterPostEvictionCallback(static (_, _, _, _) => { })));
        }

        Assert.False(_cache.TryGetValue("lock", out _));
        Assert.Equal("former", _cache.Get("a"));
        Assert.Null(_cache.GetOrCreate("null", static _ => (object?)null));
        Assert.True(_cache.TryGetValue("null", out object? none) && none is null);
    }

    [Fact]
    public void AValueThatCanNotBeStoredIsRefusedWithItsPathAndTheWayOut()
    {
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => _cache.Set("a", new List<object> { new SemaphoreSlim(1) }));
        Assert.Equal("List[0]", refused.GraphPath);
        Assert.StartsWith("List[0]: System.Threading.SemaphoreSlim can't be stored", refused.Message, StringComparison.Ordinal);
        Assert.Contains("AddKeyedPileMemoryCache", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheStockHybridCacheKeepsObjectsOfItsOwnInItAndWorksBesideOneWithAKey()
    {
        using IHost taken = CacheHost.With(CacheHost.Small, null, static services => services.AddPileMemoryCache().AddHybridCache());
        await taken.StartAsync(Cancel);
        HybridCache stock = taken.Services.GetRequiredService<HybridCache>();
        PileRefusedException refused = await Assert.ThrowsAsync<PileRefusedException>(async () => await stock.GetOrCreateAsync("a", static _ => new ValueTask<Named>(new Named("a", 1)), cancellationToken: Cancel));
        Assert.Contains("as the stock HybridCache does", refused.Message, StringComparison.Ordinal);
        Assert.Contains("AddKeyedPileMemoryCache", refused.Message, StringComparison.Ordinal);
        Assert.Contains("AddPileHybridCache", refused.Message, StringComparison.Ordinal);
        await taken.StopAsync(Cancel);

        using IHost both = CacheHost.With(CacheHost.Small, null, static services => services.AddKeyedPileMemoryCache("mine").AddHybridCache());
        await both.StartAsync(Cancel);
        stock = both.Services.GetRequiredService<HybridCache>();
        for (int call = 1; call <= 2; call++)
        {
            Assert.Equal(1, (await stock.GetOrCreateAsync("a", call, static (number, _) => new ValueTask<Named>(new Named("a", number)), cancellationToken: Cancel)).Number);
        }

        Assert.Equal(2, both.Services.GetRequiredKeyedService<IMemoryCache>("mine").Set("a", 2));
        Assert.IsType<MemoryCache>(both.Services.GetRequiredService<IMemoryCache>());
        await both.StopAsync(Cancel);
    }

    [Fact]
    public void WhatCanNotBeIsRefused()
    {
        ICacheEntry entry = _cache.CreateEntry("a");
        Assert.Throws<ArgumentOutOfRangeException>(() => entry.SlidingExpiration = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => entry.AbsoluteExpirationRelativeToNow = -TimeSpan.FromTicks(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => entry.Size = -1);
        Assert.Throws<ArgumentNullException>(() => _cache.CreateEntry(null!));
        Assert.Throws<ArgumentNullException>(() => _cache.TryGetValue(null!, out object? _));
        Assert.Throws<ArgumentNullException>(() => _cache.Remove(null!));
    }

    [Fact]
    public void StatisticsCountHitsMissesEntriesAndBytes()
    {
        _ = _cache.Set("a", new byte[100], new MemoryCacheEntryOptions { Size = 7 });
        _ = _cache.Get("a");
        _ = _cache.Get("b");
        MemoryCacheStatistics statistics = _cache.GetCurrentStatistics();

        Assert.Equal((1, 1, 1), (statistics.TotalHits, statistics.TotalMisses, statistics.CurrentEntryCount));
        Assert.InRange(statistics.CurrentEstimatedSize!.Value, 100, 200);
    }

    [Fact]
    public void ADisposedAdapterAnswersSoAndTheCacheStays()
    {
        _ = _cache.Set("a", 1);
        _cache.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _cache.Get("a"));
        Assert.Throws<ObjectDisposedException>(() => _cache.CreateEntry("a"));
        Assert.Equal(1, new PileMemoryCache(_pile).Get("a"));
    }

    [Fact]
    public async Task InFilesEntriesAreThereAfterTheNextStartOnceTheirTypesAreTold()
    {
        using var directory = new TemporaryDirectory();
        var log = new RecordedLog();
        for (int run = 0; run < 3; run++)
        {
            using IHost host = CacheHost.With(options => options.Directory = directory.Path, log, static services => services.AddPileMemoryCache().AddKeyedPileMemoryCache("other"));
            await host.StartAsync(Cancel);
            if (run == 1)
            {
                CacheHost.CacheOf(host).Pile.Types.Add<Named>();
            }

            IMemoryCache cache = host.Services.GetRequiredService<IMemoryCache>();
            Assert.Equal(run == 1 ? new Named("kept", 1) : null, cache.Get("a"));
            Assert.Equal(run == 0 ? null : "text", cache.Get("b"));
            if (run == 2)
            {
                // Told too late for the first read, and not for the next.
                CacheHost.CacheOf(host).Pile.Types.Add<Named>();
                Assert.Equal(new Named("kept", 1), cache.Get("a"));
            }

            _ = cache.Set("a", new Named("kept", 1));
            _ = cache.Set("b", "text");
            Assert.Null(host.Services.GetRequiredKeyedService<IMemoryCache>("other").Get("a"));
            await host.StopAsync(Cancel);
        }

        // The third run had not told the type: a miss, that is said.
        LogLine line = Assert.Single(log.Lines, static line => line.Level >= LogLevel.Warning);
        Assert.Contains("Named", line.Message, StringComparison.Ordinal);
        Assert.StartsWith("The entry 'a' of the table 'memory' could not be read as ", line.Message, StringComparison.Ordinal);
    }

    /// <summary>As an object, which a lock is not meant to be.</summary>
    private static object Made<T>()
        where T : class, new() => new T();

    public sealed record Named(string Name, int Number);

    /// <summary>Compared by what it is: all are equal.</summary>
    public sealed record Marker;

    /// <summary>Compared by reference, with nothing in it.</summary>
    public sealed class Bare;

    /// <summary>With nothing in it that is stored.</summary>
    public sealed class Unkept
    {
        [NonSerialized]
        private readonly int _number = 7;

        public override string ToString() => $"{_number}";
    }
}
