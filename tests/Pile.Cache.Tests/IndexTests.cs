// The index: it grows and shrinks in small steps, its memory follows, and nothing is lost on the way.
using System;
using System.Threading;
using Pile.Cache.Index;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Heap;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class IndexTests
{
    [Fact]
    public void AfterMassRemovalTheMemoryOfTheIndexGoesBack()
    {
        using TinyCache tiny = new(64 << 20);
        PileTable<long, long> table = tiny.Table<long, long>();
        long atFirst = table.GetStatistics().IndexBytes;
        for (long key = 0; key < 200_000; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
        }

        long atMost = table.GetStatistics().IndexBytes;
        for (long key = 0; key < 195_000; key++)
        {
            Assert.True(table.Remove(key));
        }

        tiny.Tick(20);
        long atLast = table.GetStatistics().IndexBytes;
        Assert.True(atMost > 2_500_000, $"{atMost:N0} bytes with all");
        Assert.True(atLast < atMost / 3, $"{atLast:N0} bytes with few, {atMost:N0} with all, {atFirst:N0} with none");
        tiny.Verify();
        for (long key = 195_000; key < 200_000; key++)
        {
            Assert.True(table.TryGet(key, out long value) && value == key);
        }

        for (long key = 0; key < 195_000; key++)
        {
            Assert.Equal(PileSetOutcome.Inserted, table.Set(key, key).Outcome);
        }

        Assert.Equal(200_000, table.Count);
    }

    /// <summary>The cleaner asks tables about records outside every epoch: it may be about to lock a bucket whose memory would go.</summary>
    [Fact]
    public void TheMemoryOfTheIndexDoesNotGoBackWhileTheCleanerIsAtWork()
    {
        using TinyCache tiny = new(16 << 20, inFiles: true);
        PileTable<int, int> table = tiny.Table<int, int>();
        for (int key = 0; key < 60_000; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
        }

        table.Clear();
        HeapCore<DurableRecord> core = tiny.Cache.Pile.Durable!.Core;
        long atMost = table.GetStatistics().IndexBytes;
        var keeper = new Thread(() =>
        {
            for (int step = 0; step < 20; step++)
            {
                _ = core.Keyed!.Tick();
            }
        });
        core.Cleaner.EnterRole();
        keeper.Start();
        keeper.Join();
        long atWork = table.GetStatistics().IndexBytes;
        core.Cleaner.ExitRole();
        Assert.Equal(atMost, atWork);
        _ = core.Keyed!.Tick();
        Assert.InRange(table.GetStatistics().IndexBytes, 0, atMost / 2);
    }

    [Fact]
    public void AMillionGuidsInADurableTableAreAllThere()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 256 << 20 });
        PileTable<Guid, int> table = cache.GetOrCreateTable<Guid, int>("guids", new PileTableOptions { Kind = PileTableKind.Durable });
        var random = new Random(7);
        Span<byte> bytes = stackalloc byte[16];
        for (int number = 0; number < 1_000_000; number++)
        {
            random.NextBytes(bytes);
            Assert.Equal(PileSetOutcome.Inserted, table.Set(new Guid(bytes), number).Outcome);
        }

        random = new Random(7);
        for (int number = 0; number < 1_000_000; number++)
        {
            random.NextBytes(bytes);
            Assert.True(table.TryGet(new Guid(bytes), out int found) && found == number, $"number {number}");
        }

        Assert.Equal(1_000_000, table.Count);
    }

    [Fact]
    public void InitialCapacityBeyondAllMemoryIsMadeReadyAsFarAsMemoryGoes()
    {
        using TinyCache tiny = new(8 << 20);
        PileTable<long, long> table = tiny.Table<long, long>(new PileTableOptions { InitialCapacity = long.MaxValue / 100 });
        for (long key = 0; key < 50_000; key++)
        {
            Assert.True(table.Set(key, key).IsStored, $"key {key}");
        }
    }

    [Fact]
    public void InitialCapacityTakesAThirdOfTheLimitAndHalfOfWhatIsFreeAndGoesBackUnused()
    {
        const long Limit = 64 << 20;
        using TinyCache tiny = new(Limit);
        PileTable<long, byte[]> present = tiny.Table<long, byte[]>();
        for (long key = 0; key < 1000; key++)
        {
            Assert.True(present.Set(key, new byte[1000]).IsStored);
        }

        for (int number = 0; number < 3; number++)
        {
            long free = Limit - tiny.Cache.GetStatistics().UsedBytes;
            PileTable<long, long> table = tiny.Cache.GetOrCreateTable<long, long>($"{number}", new PileTableOptions { InitialCapacity = long.MaxValue - number });

            // From 8 MiB on it grows by huge pages.
            Assert.InRange(table.GetStatistics().IndexBytes, 1 << 20, long.Min(Limit / 3, free / 2) + (2 << 20));
        }

        Assert.Equal(1000, present.Count);
        tiny.Tick(200);
        Assert.InRange(tiny.Cache.GetStatistics().IndexBytes, 1, 1 << 20);
        Assert.Equal(1000, present.Count);
    }

    [Fact]
    public void AClearOfThePileEmptiesTablesWithLongChainsAndTheyGoOn()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(new PileTableOptions { Comparer = new BadComparer(0) });
        for (int round = 0; round < 3; round++)
        {
            for (int key = 0; key < 1500; key++)
            {
                Assert.Equal(PileSetOutcome.Inserted, table.Set(key, new byte[key % 100 == 0 ? 40_000 : 10]).Outcome);
            }

            tiny.Verify();
            tiny.Cache.Pile.Clear();
            Assert.Equal(0, table.Count);
            Assert.Equal(0, table.GetStatistics().EntryBytes);
            Assert.False(table.ContainsKey(5));
            tiny.Verify();
        }
    }

    /// <summary>Whoever waits for one chain may hold another, and has a record that no cell leads to yet.</summary>
    [Fact]
    public void AnInterruptEndsNoWaitForAChain()
    {
        using TinyCache tiny = new(32 << 20);
        PileTable<int, int> table = tiny.Table<int, int>();
        TableIndex index = ((IPileTableCore)table).Core.Parts.Index;
        for (uint home = 0; home < index.Homes; home++)
        {
            index.LockBucket(home);
        }

        Exception? failure = null;
        using var never = new SemaphoreSlim(0);
        var setter = new Thread(() =>
        {
            Thread.CurrentThread.Interrupt();
            failure = Record.Exception(() => table.Set(5, 6)) ?? Record.Exception(never.Wait);
        });
        setter.Start();

        // An interrupt that ends the wait has done so by then.
        bool hasEnded = SpinWait.SpinUntil(() => failure is not null, TimeSpan.FromMilliseconds(50));
        for (uint home = 0; home < index.Homes; home++)
        {
            index.Unlock(home, hasMoved: false);
        }

        setter.Join();
        Assert.False(hasEnded, $"{failure}");
        _ = Assert.IsType<ThreadInterruptedException>(failure);
        Assert.True(table.TryGet(5, out int value));
        Assert.Equal(6, value);
        tiny.Verify();
    }
}
