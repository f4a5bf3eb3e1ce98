// The background thread begins with what only it does, however few segments were taken: in memory, and over a reopen, where none are.
using System;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class KeeperBeginTests
{
    private const int Keys = 100;
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(60);
    private static readonly PileEntryOptions _short = new() { TimeToLive = TimeSpan.FromSeconds(2) };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AFewEntriesGoWhenTheyEndAndWhoWatchesIsTold(bool inFiles)
    {
        using TinyCache tiny = new(backgroundCleaning: true, inFiles: inFiles);
        PileTable<int, int> table = tiny.Table<int, int>();
        using var told = new CountdownEvent(Keys);
        using PileSubscription watching = table.Subscribe(change => _ = change.Kind == PileEventKinds.Expired && told.Signal());
        Fill(table, _short);
        tiny.Clock.Move(TimeSpan.FromSeconds(3));

        Assert.True(told.Wait(_long, TestContext.Current.CancellationToken), $"{told.CurrentCount} were not told");
        Assert.Equal(0, table.Count);
        Assert.Equal(Keys, table.GetStatistics().Expirations);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, true)]
    [InlineData(PileTableKind.Durable, false)]
    public void WhatEndsAfterAReopenGoesWithoutAnyCall(PileTableKind kind, bool isClosed)
    {
        using SimulatedFiles files = Filled(_short, kind, isClosed, out ManualClock clock);
        using PileCache second = Open(files, clock);
        PileTable<int, int> table = second.GetOrCreateTable<int, int>("table", new PileTableOptions { Kind = kind });
        Assert.Equal(Keys, table.Count);
        clock.Move(TimeSpan.FromSeconds(3));

        Assert.True(SpinWait.SpinUntil(() => table.Count == 0, _long), $"{table.Count} entries are left");
    }

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void WhatATagRemovesAfterAReopenGoesWithoutAnyCall(PileTableKind kind)
    {
        using SimulatedFiles files = Filled(new PileEntryOptions { Tags = ["red"] }, kind, isClosed: true, out ManualClock clock);
        using PileCache second = Open(files, clock);
        PileTable<int, int> table = second.GetOrCreateTable<int, int>("table", new PileTableOptions { Kind = kind });
        second.RemoveByTag("red");

        // The thread may just have looked.
        clock.Move(TimeSpan.FromTicks(CacheLimits.TagSweepTicksMin));

        Assert.True(SpinWait.SpinUntil(() => table.Count == 0, _long), $"{table.Count} entries are left");
    }

    [Fact]
    public void WhatAClearAfterAReopenFoundNoRoomForGoesOnceThereIsSome()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files, limitBytes: 4 << 20, flushes: true))
        {
            Assert.True(first.Cache.GetOrCreateTable<int, int>("other", DurableTests.Durable).Set(1, 1).IsStored);
            PileTable<int, byte[]> filled = first.Table<int, byte[]>(DurableTests.Durable);
            for (int key = 0, refused = 0; refused < 20; key++)
            {
                refused += filled.Add(key, new byte[key < 200_000 ? 100 : 0]).IsStored ? 0 : 1;
            }
        }

        using PileCache second = Open(files, new ManualClock(), limitBytes: 4 << 20);
        PileTable<int, int> other = second.GetOrCreateTable<int, int>("other", DurableTests.Durable);
        PileTable<int, byte[]> table = second.GetOrCreateTable<int, byte[]>("table", DurableTests.Durable);
        Assert.True(other.TryLease(1, out PileLease lease));
        using (lease)
        {
            table.Clear();
        }

        Assert.True(second.Pile.GetStatistics().Objects > 1);
        Assert.True(SpinWait.SpinUntil(() => Objects() == 1, _long), $"{Objects():N0} objects are left");

        long Objects()
        {
            second.Pile.Commit();
            return second.Pile.GetStatistics().Objects;
        }
    }

    [Fact]
    public void ADroppedTablesIndexGoes()
    {
        using TinyCache tiny = new(backgroundCleaning: true);
        tiny.Table<int, int>().Set(1, 1);
        tiny.Cache.DropTable("table");

        Assert.True(SpinWait.SpinUntil(() => tiny.Cache.GetStatistics().IndexBytes == 0, _long), $"{tiny.Cache.GetStatistics().IndexBytes:N0} bytes are left");
    }

    [Fact]
    public void ASharedObjectThatWaitedForAFlushGoes()
    {
        using TinyCache tiny = new(backgroundCleaning: true, inFiles: true);
        PileTable<int, byte[]> table = tiny.Table<int, byte[]>(DurableTests.Durable);
        table.SetPointer(1, tiny.Cache.Pile.PutBytes(new byte[10]));
        tiny.Cache.Pile.Commit();
        table.Remove(1);
        Assert.Equal(1, tiny.Cache.GetStatistics().SharedObjects);
        tiny.Cache.Pile.Commit();

        Assert.True(SpinWait.SpinUntil(() => tiny.Cache.GetStatistics().SharedObjects == 0, _long));
    }

    [Fact]
    public void ACacheInWhichNothingEndsHasNoThread()
    {
        using TinyCache tiny = new(backgroundCleaning: true);
        PileTable<int, int> table = tiny.Table<int, int>();
        Fill(table, new PileEntryOptions());
        Assert.False(tiny.Cache.Pile.Core.Keeper.IsAtWork);
        table.Set(1, 1, _short);
        Assert.True(tiny.Cache.Pile.Core.Keeper.IsAtWork);
    }

    private static void Fill(PileTable<int, int> table, PileEntryOptions options)
    {
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, key, options).IsStored);
        }
    }

    /// <summary>Files of a cache that was closed, or whose process was killed.</summary>
    private static SimulatedFiles Filled(PileEntryOptions options, PileTableKind kind, bool isClosed, out ManualClock clock)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        clock = first.Clock;
        Fill(first.Table<int, int>(new PileTableOptions { Kind = kind }), options);
        if (isClosed)
        {
            first.Dispose();
        }

        return files.Fork();
    }

    private static PileCache Open(SimulatedFiles files, ManualClock clock, long limitBytes = 8 << 20) =>
        PileCache.Open(MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = limitBytes, TimeProvider = clock }, MappedCache.Options(files));
}
