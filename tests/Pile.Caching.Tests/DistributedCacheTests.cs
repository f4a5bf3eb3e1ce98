using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Pile.Cache;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>What the interface says nothing of: cost, sizes, a cache without room, its end.</summary>
public sealed class DistributedCacheTests
{
    private const int Rounds = 1000;
    private const int WindowsMax = 1000;

    private static readonly DistributedCacheEntryOptions _plain = new();

    [Fact]
    public void TryGetAndSetAllocateNothing()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20 });
        var door = new PileDistributedCache(cache);
        var writer = new ReusedWriter(new byte[4096]);
        byte[] value = new byte[1000];
        ReadOnlySequence<byte> parts = TestSequence.Of(value, 100, 500);
        var slides = new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromHours(1) };
        CancellationToken cancel = TestContext.Current.CancellationToken;
        AssertFree(() =>
        {
            door.Set("a", value, _plain);
            door.Set("b", parts, slides);
            writer.Reset();
            Assert.True(door.TryGet("a", writer) && door.TryGet("b", writer) && writer.Written == 2000);
            Assert.True(IsDone(door.TryGetAsync("a", writer, cancel)) && writer.Written == 3000);
            Assert.True(IsDone(door.SetAsync("a", parts, _plain, cancel)));
            Assert.True(door.SetAsync("a", value, _plain, cancel).IsCompletedSuccessfully);
            door.Refresh("b");
            door.Remove("a");
            Assert.False(door.TryGet("a", writer));
        });
    }

    [Fact]
    public void ALargeValueComesBackWhole()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 64 << 20 });
        var door = new PileDistributedCache(cache);
        byte[] value = new byte[10 << 20];
        new Random(3).NextBytes(value);
        door.Set("a", TestSequence.Of(value, 5 << 20), _plain);

        Assert.Equal(value, door.Get("a"));
    }

    [Fact]
    public void AValueWithoutRoomLeavesNoneAndNeverTheFormerOne()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        var door = new PileDistributedCache(cache);
        door.Set("a", [1], _plain);
        door.Set("a", new byte[8 << 20], _plain);

        Assert.Null(door.Get("a"));
        door.Set("a", [2], _plain);
        Assert.Equal([2], door.Get("a"));
    }

    [Fact]
    public void ADurableTableWithoutRoomSaysSoAndKeepsTheFormerValue()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        var door = new PileDistributedCache(cache, new PileDistributedCacheOptions { Table = new PileTableOptions { Kind = PileTableKind.Durable } });
        door.Set("a", [1], _plain);

        PileFullException full = Assert.Throws<PileFullException>(() => door.Set("a", new byte[8 << 20], _plain));
        Assert.Contains("no room for the 8,388,608 bytes of 'a'", full.Message, StringComparison.Ordinal);
        Assert.Equal([1], door.Get("a"));
    }

    [Fact]
    public void TwoAdaptersOfDifferentTablesShareNothing()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        var first = new PileDistributedCache(cache);
        var second = new PileDistributedCache(cache, new PileDistributedCacheOptions { TableName = "second" });
        first.Set("a", [1], _plain);

        Assert.Null(second.Get("a"));
        Assert.Equal(["distributed", "second"], cache.TableNames);
    }

    [Fact]
    public void AfterTheCacheItAnswersThatItWasDisposed()
    {
        PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        var door = new PileDistributedCache(cache);
        door.Set("a", [1], _plain);
        cache.Dispose();

        Assert.Throws<ObjectDisposedException>(() => door.Get("a"));
        Assert.Throws<ObjectDisposedException>(() => door.Set("a", [1], _plain));
    }

    [Fact]
    public void WhatTheDestinationThrowsComesThroughAndEndsTheLease()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
        var door = new PileDistributedCache(cache);
        door.Set("a", new byte[100], _plain);

        Assert.Throws<InvalidOperationException>(() => door.TryGet("a", new ReusedWriter(new byte[50])));
        Assert.Equal(0, cache.Pile.GetStatistics().ThreadsInside);
    }

    private static bool IsDone(ValueTask<bool> task) => task.IsCompletedSuccessfully;

    private static bool IsDone(ValueTask task) => task.IsCompletedSuccessfully;

    private static void AssertFree(Action work)
    {
        long allocated = -1;
        for (int window = 0; window < WindowsMax && allocated != 0; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int round = 0; round < Rounds; round++)
            {
                work();
            }

            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        Assert.Equal(0, allocated);
    }

    private sealed class ReusedWriter(byte[] bytes) : IBufferWriter<byte>
    {
        internal int Written { get; private set; }

        public void Advance(int count) => Written += count;

        public Memory<byte> GetMemory(int sizeHint = 0) => sizeHint <= bytes.Length - Written ? bytes.AsMemory(Written) : throw new InvalidOperationException("It is full.");

        public Span<byte> GetSpan(int sizeHint = 0)
        {
            return bytes.Length > Written ? bytes.AsSpan(Written) : throw new InvalidOperationException("It is full.");
        }

        internal void Reset() => Written = 0;
    }
}
