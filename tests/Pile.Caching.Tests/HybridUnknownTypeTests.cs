using System;
using System.Collections.Generic;
using System.Text.Json.Serialization;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Entries of before the last start, in a program that has put no object of their type since.</summary>
public sealed class HybridUnknownTypeTests : IDisposable
{
    private static readonly HybridCacheEntryOptions _look = new() { Flags = HybridCacheEntryFlags.DisableUnderlyingData };
    private readonly TemporaryDirectory _directory = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task WhatTheTypeTellsOfIsAHit()
    {
        using (PileCache pile = Open())
        {
            var cache = new PileHybridCache(pile);
            await cache.SetAsync("page", new Page([new Item("a")]), cancellationToken: Cancel);
            await cache.SetAsync<Shape>("shape", new Circle(1), cancellationToken: Cancel);
        }

        using (PileCache pile = Open())
        {
            var cache = new PileHybridCache(pile);
            Assert.Equal(new Item("a"), Assert.Single((await cache.GetOrCreateAsync<Page>("page", Fails<Page>, cancellationToken: Cancel)).Items));
            Assert.Equal(new Circle(1), await cache.GetOrCreateAsync<Shape>("shape", Fails<Shape>, cancellationToken: Cancel));
        }
    }

    [Fact]
    public async Task OneThatIsOnlyLookedForStaysAndIsReadOnceItsTypeIsKnown()
    {
        using (PileCache pile = Open())
        {
            await new PileHybridCache(pile).SetAsync<object>("item", new Item("a"), cancellationToken: Cancel);
        }

        using (PileCache pile = Open())
        {
            var cache = new PileHybridCache(pile);
            Assert.Null(await cache.GetOrCreateAsync<object?>("item", Fails<object?>, _look, cancellationToken: Cancel));
            pile.Pile.Types.Add<Item>();
            Assert.Equal(new Item("a"), await cache.GetOrCreateAsync<object?>("item", Fails<object?>, _look, cancellationToken: Cancel));
        }

        using (PileCache pile = Open())
        {
            // A call that makes one puts it in its place.
            var cache = new PileHybridCache(pile);
            Assert.Equal("new", await cache.GetOrCreateAsync<object>("item", static _ => ValueTask.FromResult<object>("new"), cancellationToken: Cancel));
            Assert.Equal("new", await cache.GetOrCreateAsync<object>("item", Fails<object>, cancellationToken: Cancel));
        }
    }

    private static ValueTask<T> Fails<T>(CancellationToken cancel) => throw new InvalidOperationException("The entry is there.");

    private PileCache Open() => PileCache.Open(_directory.Path, new PileCacheOptions { MemoryLimitBytes = 16 << 20 });

    internal sealed record Item(string Name);

    internal sealed record Page(IReadOnlyList<Item> Items);

    [JsonDerivedType(typeof(Circle))]
    internal abstract record Shape;

    internal sealed record Circle(int Radius) : Shape;
}
