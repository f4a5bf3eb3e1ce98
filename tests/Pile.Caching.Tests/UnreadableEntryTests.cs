using System;
using System.Buffers;
using System.Linq;
using System.Runtime.Serialization;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Cache;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Entries at which a codec of the program, or a callback of their type, throws: of before a deploy.</summary>
public sealed class UnreadableEntryTests : IDisposable
{
    private readonly Failing _codec = new();
    private readonly RecordedLog _log = new();
    private readonly PileCache _pile;

    public UnreadableEntryTests() =>
        _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, Codecs = new PileCodecs().Add(1, _codec) });

    public static TheoryData<Exception> Failures =>
        [new JsonException("no number"), new InvalidOperationException("N must be there"), new OperationCanceledException("late"), new PileTypeMismatchException("of another type")];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _pile.Dispose();

    [Theory]
    [MemberData(nameof(Failures), DisableDiscoveryEnumeration = true)]
    public async Task AHybridEntryWhoseCodecThrowsIsMadeAnewOnceAndTheLogSaysSo(Exception failure)
    {
        using ServiceProvider services = TestServices.With(_log);
        var cache = new PileHybridCache(_pile, services: services);
        await cache.SetAsync("a", new Order(1), cancellationToken: Cancel);
        _codec.Failure = failure;
        Assert.Equal(2, (await cache.GetOrCreateAsync("a", Made, cancellationToken: Cancel)).Number);
        LogLine line = Assert.Single(_log.Lines, static line => line.Id.Id == 203);
        Assert.Equal((LogLevel.Warning, failure), (line.Level, line.Exception));

        _codec.Failure = null;
        Assert.Equal(2, (await cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult(new Order(3)), cancellationToken: Cancel)).Number);

        ValueTask<Order> Made(CancellationToken cancel)
        {
            _codec.Failure = null;
            return ValueTask.FromResult(new Order(2));
        }
    }

    [Fact]
    public async Task AHybridEntryWhoseTypeRefusesWhatWasReadIsMadeAnew()
    {
        var cache = new PileHybridCache(_pile);
        await cache.SetAsync("a", new Strict(), cancellationToken: Cancel);
        Assert.Equal("new", (await cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult(new Strict { Name = "new" }), cancellationToken: Cancel)).Name);
        Assert.Equal("new", (await cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult(new Strict { Name = "newer" }), cancellationToken: Cancel)).Name);
    }

    /// <summary>What one of them makes can't be read by the others either.</summary>
    [Fact]
    public async Task CallersAtOnceOfAValueThatCannotBeReadBackGetOneEach()
    {
        const int Calls = 8;
        var cache = new PileHybridCache(_pile);
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _codec.Failure = new JsonException("never");
        Task<Order>[] calls =
        [
            .. Enumerable.Range(0, Calls).Select(number => cache.GetOrCreateAsync(
                "a",
                async cancel =>
                {
                    await gate.Task.WaitAsync(cancel);
                    return new Order(number);
                },
                cancellationToken: Cancel).AsTask()),
        ];
        gate.SetResult();
        Assert.All(await Task.WhenAll(calls), static order => Assert.InRange(order.Number, 0, Calls - 1));
    }

    [Fact]
    public async Task WhatADisposedObjectOrTheCallersTokenThrowsComesThrough()
    {
        var cache = new PileHybridCache(_pile);
        await cache.SetAsync("a", new Order(1), cancellationToken: Cancel);
        _codec.Failure = new ObjectDisposedException("codec");
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(async () => await cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult(new Order(2)), cancellationToken: Cancel));
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult(new Order(2)), cancellationToken: new CancellationToken(canceled: true)));

        _codec.Failure = null;
        Assert.Equal(1, (await cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult(new Order(2)), cancellationToken: Cancel)).Number);
    }

    [Theory]
    [MemberData(nameof(Failures), DisableDiscoveryEnumeration = true)]
    public async Task AnEntryOfTheMemoryCacheWhoseCodecThrowsIsAMissAndTheLogSaysSo(Exception failure)
    {
        using IHost host = CacheHost.With(
            options =>
            {
                options.InMemory = true;
                options.Cache = new PileCacheOptions { MemoryLimitBytes = 16 << 20, Codecs = new PileCodecs().Add(1, _codec) };
            },
            _log,
            static services => services.AddPileMemoryCache());
        await host.StartAsync(Cancel);
        IMemoryCache cache = host.Services.GetRequiredService<IMemoryCache>();
        _ = cache.Set("a", new Order(1));
        _ = cache.Set("b", new Strict());
        _codec.Failure = failure;
        Assert.False(cache.TryGetValue("a", out object? none));
        Assert.Null(none);
        Assert.Same(failure, Assert.Single(_log.Lines, static line => line.Id.Id == 203).Exception);
        Assert.False(cache.TryGetValue("b", out _));

        _codec.Failure = null;
        Assert.Equal(new Order(2), cache.Set("a", new Order(2)));
        Assert.Equal(new Order(2), cache.Get("a"));
        _codec.Failure = new ObjectDisposedException("codec");
        _ = Assert.Throws<ObjectDisposedException>(() => cache.Get("a"));
        await host.StopAsync(Cancel);
    }

    internal sealed record Order(int Number);

    internal sealed class Strict
    {
        public string? Name { get; set; }

        [OnDeserialized]
        internal void Check(StreamingContext context) => _ = Name ?? throw new InvalidOperationException("Name must be there.");
    }

    private sealed class Failing : IPileCodec<Order>
    {
        internal Exception? Failure { get; set; }

        public void Write(Order value, IBufferWriter<byte> writer) => writer.Write([(byte)value.Number]);

        public Order Read(ReadOnlySpan<byte> payload) => Failure is { } failure ? throw failure : new Order(payload[0]);
    }
}
