using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>HybridCache on tables with options for factories: calls that only look, entries that can't be read, refreshes ahead of a cache
/// behind.</summary>
public sealed class HybridFactoryOptionsTests : IDisposable
{
    private static readonly PileFactoryOptions _eager = new() { EagerRefresh = 0.8 };
    private static readonly PileFactoryOptions _safe = new() { FailSafe = TimeSpan.FromHours(1) };
    private static readonly PileFactoryOptions _stale = new() { StaleWhileRevalidate = TimeSpan.FromHours(1) };

    private readonly ManualClock _clock = new();
    private readonly FlakyCache _behind = new();
    private readonly RecordedLog _log = new();
    private readonly List<PileCache> _piles = [];
    private int _made;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _piles.ForEach(static pile => pile.Dispose());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ACallThatOnlyLooksFindsAnEntryThatIsToBeRefreshedAheadAndChangesNothing(bool hasBehind)
    {
        PileHybridCache cache = Machine(_eager, hasBehind);
        Assert.Equal("1: a", await MakeAsync(cache));
        Assert.Equal("1: a", await PeekAsync(cache));
        _clock.Move(TimeSpan.FromMinutes(9));
        _behind.Entries.Clear();
        Assert.Equal("1: a", await PeekAsync(cache));
        Assert.Equal("1: a", await PeekAsync(cache));
        Assert.Equal(1, _piles[0].GetStatistics().FactoryCalls);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ACallThatOnlyLooksLeavesWhatIsKeptForFailSafe(bool isDown)
    {
        PileHybridCache cache = Machine(_safe);
        Assert.Equal("1: a", await MakeAsync(cache));
        _clock.Move(TimeSpan.FromMinutes(10));
        _behind.Fails = _ => isDown;
        Assert.Null(await PeekAsync(cache));
        Assert.Equal("1: a", await cache.GetOrCreateAsync<string>("a", static _ => throw new InvalidOperationException(), cancellationToken: Cancel));
    }

    /// <summary>Values that are set, or made by a call that does not look at what is there, are kept for fail-safe as those that calls share.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task WhatIsSetOrMadeAnewIsKeptForFailSafeToo(bool isSet)
    {
        PileHybridCache cache = Machine(_safe);
        Assert.Equal("1: a", await MakeAsync(cache));
        if (isSet)
        {
            await cache.SetAsync("a", "set", Terms(), cancellationToken: Cancel);
        }
        else
        {
            HybridCacheEntryOptions anew = new() { Expiration = TimeSpan.FromMinutes(10), Flags = HybridCacheEntryFlags.DisableLocalCacheRead | HybridCacheEntryFlags.DisableDistributedCache };
            Assert.Equal("set", await cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult("set"), anew, cancellationToken: Cancel));
        }

        _clock.Move(TimeSpan.FromMinutes(11));
        _behind.Entries.Clear();

        Assert.Equal("set", await cache.GetOrCreateAsync<string>("a", static _ => throw new InvalidOperationException(), cancellationToken: Cancel));
    }

    [Fact]
    public async Task ARefreshAheadMakesAValueOlderThanTheOneBehind()
    {
        PileHybridCache cache = Machine(_eager);
        Assert.Equal("1: a", await MakeAsync(cache));
        _clock.Move(TimeSpan.FromMinutes(9));

        // The caller does not wait for it; were it there already, the caller would have it.
        var mayEnd = new TaskCompletionSource();
        Assert.Equal("1: a", await cache.GetOrCreateAsync<string?>("a", LateAsync, Terms(), cancellationToken: Cancel));
        mayEnd.SetResult();
        Until(cache, "2: a");

        // Which is there for others too, for as long again.
        _clock.Move(TimeSpan.FromMinutes(9));
        Assert.Equal("2: a", await PeekAsync(Machine(_eager)));

        async ValueTask<string?> LateAsync(CancellationToken token)
        {
            await mayEnd.Task.WaitAsync(token);
            return $"{Interlocked.Increment(ref _made)}: a";
        }
    }

    [Fact]
    public async Task ARefreshAheadTakesWhatAnotherMachineHasMadeSince()
    {
        PileHybridCache cache = Machine(_eager);
        Assert.Equal("1: a", await MakeAsync(cache));
        _clock.Move(TimeSpan.FromMinutes(9));
        await Machine(_eager).SetAsync("a", "newer", Terms(), cancellationToken: Cancel);
        _ = await MakeAsync(cache);
        Until(cache, "newer");
        Assert.Equal(1, _made);
    }

    [Fact]
    public async Task ARefreshAheadOfAShorterLocalEndTakesTheValueBehindUntilThatIsDueItself()
    {
        PileHybridCache cache = Machine(_eager);
        var local = TimeSpan.FromMinutes(4);
        _ = await MakeAsync(cache, local);
        _clock.Move(TimeSpan.FromMinutes(3.5));
        _ = await MakeAsync(cache, local);
        PileTable<string, byte[]> table = _piles[0].GetOrCreateTable<string, byte[]>("hybrid");
        DateTimeOffset end = _clock.GetUtcNow() + local;
        Assert.True(SpinWait.SpinUntil(() => table.TryGetExpiration("a", out DateTimeOffset? now) && now == end, TimeSpan.FromSeconds(10)));
        Assert.Equal(1, _made);
    }

    [Theory]
    [InlineData("eager")]
    [InlineData("stale")]
    [InlineData("safe")]
    public async Task AnEntryThatCanNotBeReadIsMadeAnew(string what)
    {
        PileHybridCache cache = Machine(what == "eager" ? _eager : what == "stale" ? _stale : _safe, hasBehind: false);
        Assert.Equal("1: a", await MakeAsync(cache));
        if (what != "eager")
        {
            _clock.Move(TimeSpan.FromMinutes(10));
        }

        if (what == "safe")
        {
            // Served in place of the failure if it could be read; as it is, the failure is the caller's.
            await Assert.ThrowsAsync<FormatException>(async () => await cache.GetOrCreateAsync<int>("a", static _ => throw new FormatException(), Terms(), cancellationToken: Cancel));
        }

        Assert.Equal(5, await cache.GetOrCreateAsync("a", static _ => new ValueTask<int>(5), Terms(), cancellationToken: Cancel));
        Assert.Equal(5, await cache.GetOrCreateAsync<int>("a", static _ => throw new FormatException(), Terms(), cancellationToken: Cancel));
        if (what != "stale")
        {
            Assert.Single(_log.Lines, static line => line.Id.Id == 203);
        }
    }

    [Fact]
    public async Task AnEntryAtWhichTheSerializerThrowsIsMadeAnewThoughItIsRefreshedAhead()
    {
        await using ServiceProvider services = TestServices.With(_log, static services => services.AddSingleton<IHybridCacheSerializer<Guid>>(new Failing()));
        PileHybridCache cache = Machine(_eager, hasBehind: false, services);
        await cache.SetAsync("a", Guid.Empty, cancellationToken: Cancel);
        var value = new Guid("00112233-4455-6677-8899-aabbccddeeff");
        Assert.Equal(value, await cache.GetOrCreateAsync("a", _ => new ValueTask<Guid>(value), cancellationToken: Cancel));
        Assert.IsType<FormatException>(Assert.Single(_log.Lines, static line => line.Id.Id == 203).Exception);
    }

    private static HybridCacheEntryOptions Terms(HybridCacheEntryFlags flags = HybridCacheEntryFlags.None, TimeSpan? local = null) =>
        new() { Expiration = TimeSpan.FromMinutes(10), LocalCacheExpiration = local, Flags = flags };

    private static async Task<string?> PeekAsync(PileHybridCache cache) => await cache.GetOrCreateAsync<string?>(
        "a", static _ => throw new InvalidOperationException(), Terms(HybridCacheEntryFlags.DisableUnderlyingData), cancellationToken: Cancel);

    private static void Until(PileHybridCache cache, string value) =>
        Assert.True(SpinWait.SpinUntil(() => PeekAsync(cache) is { IsCompletedSuccessfully: true } peek && peek.Result == value, TimeSpan.FromSeconds(10)));

    private async Task<string?> MakeAsync(PileHybridCache cache, TimeSpan? local = null) => await cache.GetOrCreateAsync<string?>(
        "a", _ => new ValueTask<string?>($"{Interlocked.Increment(ref _made)}: a"), Terms(local: local), cancellationToken: Cancel);

    private PileHybridCache Machine(PileFactoryOptions factory, bool hasBehind = true, IServiceProvider? services = null)
    {
        PileCache pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 2 << 20, TimeProvider = _clock });
        _piles.Add(pile);
        return new PileHybridCache(
            pile,
            new PileHybridCacheOptions { DistributedCache = hasBehind ? _ => _behind : null, Table = new PileTableOptions { Factory = factory } },
            services ?? TestServices.With(_log));
    }

    private sealed class Failing : IHybridCacheSerializer<Guid>
    {
        public Guid Deserialize(ReadOnlySequence<byte> source) => throw new FormatException();

        public void Serialize(Guid value, IBufferWriter<byte> target) => target.Write("x"u8);
    }
}
