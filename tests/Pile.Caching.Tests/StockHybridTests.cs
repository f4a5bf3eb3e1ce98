using System;
using System.Buffers;
using System.Collections.Generic;
using System.Runtime.Serialization;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Pile.Cache;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>The stock HybridCache: what it does, ours does; and it works over our IDistributedCache and with our serializers.</summary>
public sealed class StockHybridTests : IDisposable
{
    private readonly PileCache _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
    private readonly List<ServiceProvider> _providers = [];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _providers.ForEach(static provider => provider.Dispose());
        _pile.Dispose();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task OneScriptHasTheSameAnswers(bool isOurs)
    {
        HybridCache cache = isOurs ? new PileHybridCache(_pile) : Stock();
        List<string> said = [];
        int made = 0;
        await AskAsync("a", HybridCacheEntryFlags.None);
        await AskAsync("a", HybridCacheEntryFlags.None);
        await cache.SetAsync("a", "set", tags: ["x"], cancellationToken: Cancel);
        await AskAsync("a", HybridCacheEntryFlags.None);
        await AskAsync("a", HybridCacheEntryFlags.DisableUnderlyingData);
        await AskAsync("b", HybridCacheEntryFlags.DisableUnderlyingData);
        await AskAsync("b", HybridCacheEntryFlags.DisableLocalCacheWrite);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await AskAsync("b", HybridCacheEntryFlags.DisableLocalCacheRead);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await AskAsync("b", HybridCacheEntryFlags.DisableLocalCache);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await cache.RemoveByTagAsync("x", Cancel);
        await AskAsync("a", HybridCacheEntryFlags.None);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await cache.RemoveAsync("a", Cancel);
        await AskAsync("a", HybridCacheEntryFlags.None);
        await cache.RemoveByTagAsync("*", Cancel);
        await AskAsync("b", HybridCacheEntryFlags.None);
        await cache.SetAsync<string?>("n", null, cancellationToken: Cancel);
        await AskAsync("n", HybridCacheEntryFlags.None);

        Assert.Equal(
            ["a1", "a1", "set", "set", "null", "b2", "b3", "b4", "b4", "b5", "b4", "a6", "b4", "a7", "b8", "null"],
            said);

        async Task AskAsync(string key, HybridCacheEntryFlags flags) => said.Add(
            await cache.GetOrCreateAsync<string?>(
                key,
                _ => new ValueTask<string?>($"{key}{++made}"),
                new HybridCacheEntryOptions { Flags = flags },
                cancellationToken: Cancel) ?? "null");
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task ASetOfWhatHasEndedStoresNothingAndLeavesWhatIsThere(bool isOurs, bool hasBehind)
    {
        var behind = new FlakyCache();
        HybridCache cache = isOurs ? new PileHybridCache(_pile, new PileHybridCacheOptions { DistributedCache = hasBehind ? _ => behind : null }) : Stock(hasBehind ? behind : null);
        await cache.SetAsync("there", 1, cancellationToken: Cancel);
        int kept = behind.Entries.Count;
        foreach (HybridCacheEntryOptions ended in (HybridCacheEntryOptions[])[
            new() { Expiration = TimeSpan.Zero },
            new() { Expiration = TimeSpan.MinValue },
            new() { Expiration = TimeSpan.Zero, LocalCacheExpiration = TimeSpan.FromMinutes(1) },
            new() { LocalCacheExpiration = TimeSpan.FromTicks(-1) },
            new() { Expiration = TimeSpan.Zero, Flags = HybridCacheEntryFlags.DisableLocalCacheWrite },
        ])
        {
            await cache.SetAsync("there", 2, ended, cancellationToken: Cancel);
            await cache.SetAsync("new", 2, ended, cancellationToken: Cancel);
            Assert.Equal(1, await LookAsync(cache, "there"));
            Assert.Equal(1, await cache.GetOrCreateAsync("there", static _ => new ValueTask<int>(3), ended, cancellationToken: Cancel));
            Assert.Equal(0, await LookAsync(cache, "new"));
        }

        Assert.Equal(kept, behind.Entries.Count);

        // Only what is written counts.
        await cache.SetAsync("far", 5, new HybridCacheEntryOptions { LocalCacheExpiration = TimeSpan.Zero, Flags = HybridCacheEntryFlags.DisableLocalCacheWrite }, cancellationToken: Cancel);
        Assert.Equal(hasBehind ? 5 : 0, await LookAsync(cache, "far"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ANullKeyIsNoKeyToStoreUnder(bool isOurs)
    {
        HybridCache cache = isOurs ? new PileHybridCache(_pile) : Stock();
        await cache.SetAsync(null!, 1, cancellationToken: Cancel);
        for (int call = 2; call < 4; call++)
        {
            Assert.Equal(call, await cache.GetOrCreateAsync(null!, call, static (made, _) => new ValueTask<int>(made), cancellationToken: Cancel));
        }

        Assert.Equal(0, await LookAsync(cache, null!));
        using var over = new CancellationTokenSource();
        await over.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await cache.GetOrCreateAsync(null!, static _ => new ValueTask<int>(1), cancellationToken: over.Token));
        await Assert.ThrowsAsync<ArgumentNullException>(async () => await cache.RemoveAsync((string)null!, Cancel));
    }

    [Fact]
    public async Task ItWorksOverOurDistributedCache()
    {
        HybridCache here = Stock(new PileDistributedCache(_pile));
        HybridCache there = Stock(new PileDistributedCache(_pile));
        byte[] large = new byte[900_000];
        new Random(1).NextBytes(large);
        await here.SetAsync("a", "from here", cancellationToken: Cancel);
        await here.SetAsync("large", large, cancellationToken: Cancel);

        Assert.Equal("from here", await there.GetOrCreateAsync("a", static _ => new ValueTask<string>("made"), cancellationToken: Cancel));
        Assert.Equal(large, await there.GetOrCreateAsync("large", static _ => new ValueTask<byte[]>([]), cancellationToken: Cancel));
        await here.RemoveAsync("a", Cancel);
        Assert.Equal("made", await Stock(new PileDistributedCache(_pile)).GetOrCreateAsync("a", static _ => new ValueTask<string>("made"), cancellationToken: Cancel));
    }

    [Fact]
    public async Task ItUsesOurSerializers()
    {
        var behind = new FlakyCache();
        await Stock(behind).SetAsync("a", new Order { Id = 7, Name = "seven" }, cancellationToken: Cancel);
        byte[] expected = [0x92, 7, 0xA5, .. "seven"u8];

        Assert.Contains(behind.Entries.Values, value => value.AsSpan().IndexOf(expected) >= 0);
        Assert.Equal(new Order { Id = 7, Name = "seven" }, await Stock(behind).GetOrCreateAsync("a", static _ => new ValueTask<Order>(new Order()), cancellationToken: Cancel));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task OurSerializersLeaveItTheJsonOfAllOtherTypesInEitherOrder(bool isOursFirst)
    {
        var behind = new FlakyCache();
        HybridCache here = Stock(behind, isOursFirst);
        await here.SetAsync("order", new Order { Id = 7, Name = "seven" }, cancellationToken: Cancel);
        await here.SetAsync("text", "text", cancellationToken: Cancel);
        await here.SetAsync("plain", new Plain("plain"), cancellationToken: Cancel);
        await here.SetAsync("pair", ("a", 1), cancellationToken: Cancel);
        await here.SetAsync("named", new Named("seven"), cancellationToken: Cancel);
        byte[][] expected = [[0x92, 7, 0xA5, .. "seven"u8], [.. "text"u8], [.. """{"Name":"plain"}"""u8], [.. """{"Item1":"a","Item2":1}"""u8], [.. """{"NAME":"seven"}"""u8]];
        Assert.All(expected, bytes => Assert.Contains(behind.Entries.Values, value => value.AsSpan().IndexOf(bytes) >= 0));

        HybridCache there = Stock(behind, !isOursFirst);
        Assert.Equal("seven", (await there.GetOrCreateAsync("order", static _ => new ValueTask<Order>(new Order()), cancellationToken: Cancel)).Name);
        Assert.Equal("plain", (await there.GetOrCreateAsync("plain", static _ => new ValueTask<Plain>(new Plain("made")), cancellationToken: Cancel)).Name);
        Assert.Equal(("a", 1), await there.GetOrCreateAsync("pair", static _ => new ValueTask<(string, int)>(("made", 0)), cancellationToken: Cancel));
        Assert.Equal("seven", (await there.GetOrCreateAsync("named", static _ => new ValueTask<Named>(new Named("made")), cancellationToken: Cancel)).Name);
    }

    /// <summary>The JSON that it adds for itself keeps neither rings nor what has no public setter, and takes every type.</summary>
    [Theory]
    [InlineData(false, null)]
    [InlineData(true, null)]
    [InlineData(false, "mine")]
    [InlineData(true, "mine")]
    public async Task OursInTheSameServicesKeepsThePilesFormAndTheProgramsSerializers(bool isStockFirst, string? key)
    {
        ServiceCollection services = new();
        _ = isStockFirst ? services.AddHybridCache().Services : services;
        _ = services.AddPileHybridCacheSerializers().AddSingleton<IHybridCacheSerializer<Plain>, MarkedSerializer>();
        _ = isStockFirst ? services : services.AddHybridCache().Services;
        await using ServiceProvider provider = services.BuildServiceProvider();
        var ours = new PileHybridCache(() => _pile, new PileHybridCacheOptions(), provider, key);
        var ring = new Ring(7);
        await ours.SetAsync("ring", ring, cancellationToken: Cancel);
        await ours.SetAsync("text", "a\ud800", cancellationToken: Cancel);
        await ours.SetAsync("order", new Order { Id = 7 }, cancellationToken: Cancel);
        await ours.SetAsync("plain", new Plain("plain"), cancellationToken: Cancel);

        Ring back = await ours.GetOrCreateAsync("ring", static _ => new ValueTask<Ring>(new Ring(0)), cancellationToken: Cancel);
        Assert.Equal(7, back.Number);
        Assert.Same(back, back.Self);
        Assert.Equal("a\ud800", await ours.GetOrCreateAsync("text", static _ => new ValueTask<string>("made"), cancellationToken: Cancel));
        PileTable<string, byte[]> table = _pile.GetOrCreateTable<string, byte[]>("hybrid");
        Assert.True(table.TryGet("order", out byte[]? order) && table.TryGet("plain", out byte[]? plain) && plain.AsSpan(1).SequenceEqual("marked"u8));
        Assert.Equal([0x92, 7, 0xA0], order[1..]);

        HybridCache stock = provider.GetRequiredService<HybridCache>();
        for (int call = 0; call < 2; call++)
        {
            Assert.Equal("text", await stock.GetOrCreateAsync("text", static _ => new ValueTask<string>("text"), cancellationToken: Cancel));
            Assert.Equal("seven", (await stock.GetOrCreateAsync("named", static _ => new ValueTask<Named>(new Named("seven")), cancellationToken: Cancel)).Name);
        }
    }

    private static async Task<int> LookAsync(HybridCache cache, string key) => await cache.GetOrCreateAsync(
        key, static _ => new ValueTask<int>(9), new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableLocalCacheWrite | HybridCacheEntryFlags.DisableUnderlyingData }, cancellationToken: Cancel);

    private HybridCache Stock(IDistributedCache? behind = null, bool isOursFirst = false)
    {
        ServiceCollection services = new();
        _ = isOursFirst ? services.AddPileHybridCacheSerializers() : services;
        _ = services.AddHybridCache();
        _ = isOursFirst ? services : services.AddPileHybridCacheSerializers();
        _ = services.AddKeyedSingleton<JsonSerializerOptions>(typeof(IHybridCacheSerializer<Named>), new JsonSerializerOptions { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseUpper });
        if (behind is not null)
        {
            _ = services.AddSingleton(behind);
        }

        ServiceProvider provider = services.BuildServiceProvider();
        _providers.Add(provider);
        return provider.GetRequiredService<HybridCache>();
    }

    [DataContract]
    public sealed record Order
    {
        [DataMember(Order = 0)]
        public int Id { get; set; }

        [DataMember(Order = 1)]
        public string Name { get; set; } = "";
    }

    public sealed record Plain(string Name);

    public sealed record Named(string Name);

    public sealed class Ring
    {
        public Ring(int number) => (Number, Self) = (number, this);

        public int Number { get; private set; }

        public Ring Self { get; private set; }
    }

    private sealed class MarkedSerializer : IHybridCacheSerializer<Plain>
    {
        public Plain Deserialize(ReadOnlySequence<byte> source) => new("read");

        public void Serialize(Plain value, IBufferWriter<byte> target) => target.Write("marked"u8);
    }
}
