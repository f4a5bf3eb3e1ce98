using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>HybridCache on tables with options for factories: calls that only look, refreshes ahead of a cache behind.</summary>
public sealed class HybridFactoryOptionsTests : IDisposable
{
    private static readonly PileFactoryOptions _eager = new() { EagerRefresh = 0.8 };
    private static readonly PileFactoryOptions _safe = new() { FailSafe = TimeSpan.FromHours(1) };

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

    [Fact]
    public async Task ARefreshAheadMakesAValueOlderThanTheOneBehind()
    {
        PileHybridCache cache = Machine(_eager);
        Assert.Equal("1: a", await MakeAsync(cache));
        _clock.Move(TimeSpan.FromMinutes(9));
        Assert.Equal("1: a", await MakeAsync(cache));
        Until(cache, "2: a");

        // Which is there for others too, for as long again.
        _clock.Move(TimeSpan.FromMinutes(9));
        Assert.Equal("2: a", await PeekAsync(Machine(_eager)));
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

    private static HybridCacheEntryOptions Terms(HybridCacheEntryFlags flags = HybridCacheEntryFlags.None, TimeSpan? local = null) =>
        new() { Expiration = TimeSpan.FromMinutes(10), LocalCacheExpiration = local, Flags = flags };

    private static async Task<string?> PeekAsync(PileHybridCache cache) => await cache.GetOrCreateAsync<string?>(
        "a", static _ => throw new InvalidOperationException(), Terms(HybridCacheEntryFlags.DisableUnderlyingData), cancellationToken: Cancel);

    private static void Until(PileHybridCache cache, string value) =>
        Assert.True(SpinWait.SpinUntil(() => PeekAsync(cache) is { IsCompletedSuccessfully: true } peek && peek.Result == value, TimeSpan.FromSeconds(10)));

    private async Task<string?> MakeAsync(PileHybridCache cache, TimeSpan? local = null) => await cache.GetOrCreateAsync<string?>(
        "a", _ => new ValueTask<string?>($"{Interlocked.Increment(ref _made)}: a"), Terms(local: local), cancellationToken: Cancel);

    private PileHybridCache Machine(PileFactoryOptions factory, bool hasBehind = true)
    {
        PileCache pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 2 << 20, TimeProvider = _clock });
        _piles.Add(pile);
        return new PileHybridCache(
            pile,
            new PileHybridCacheOptions { DistributedCache = hasBehind ? _ => _behind : null, Table = new PileTableOptions { Factory = factory } },
            TestServices.With(_log));
    }
}
