using System;
using System.IO;
using Pile.Cache.Tests.Model;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>The limit of a cache in a directory: the one that is asked for, below what the files take too, and the one that nobody asks for.</summary>
public sealed class FilesLimitTests
{
    private const int Entries = 4000;
    private const int ValueBytes = 1000;
    private const long Lowered = 2 << 20;
    private const int TicksMax = 5000;
    private static readonly PileTableOptions _durable = new() { Kind = PileTableKind.Durable };

    [Theory]
    [InlineData(ValueBytes, Entries)]
    [InlineData(20_000, 200)]
    public void ALoweredLimitOpensAndEntriesLeaveUntilItHolds(int valueBytes, int entries)
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            Fill(first.Table<int, byte[]>(), valueBytes, entries);
            Assert.InRange(first.Cache.Pile.GetStatistics().UsedBytes, Lowered * 3 / 2, long.MaxValue);
        }

        using var second = new MappedCache(files, limitBytes: Lowered, flushes: true);
        Assert.Equal(Lowered, second.Cache.Pile.MemoryLimitBytes);
        Assert.Equal(entries, second.Table<int, byte[]>().Count);
        ComeDown(second);
        Assert.InRange(second.Table<int, byte[]>().Count, entries / 10, entries / 2);
    }

    [Fact]
    public void WhatIsStoredAfterThatIsThereAtOnceAndMakesTheOthersLeave()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            Fill(first.Table<int, byte[]>(), ValueBytes, Entries);
        }

        using var second = new MappedCache(files, limitBytes: Lowered, flushes: true);
        PileTable<int, byte[]> table = second.Table<int, byte[]>();
        for (int key = 0; key < Entries; key++)
        {
            Assert.True(table.Set(-1 - key, new byte[ValueBytes]).IsStored, $"{key}");
            Assert.True(table.ContainsKey(-1 - key));
        }

        ComeDown(second);
        Assert.InRange(table.Count, 500, 2000);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ALimitBelowTheDurableEntriesIsRefusedWithWhatTheyTakeAndNothingIsLost(bool isKilled)
    {
        using var files = new SimulatedFiles();
        SimulatedFiles left = files;
        using (var first = new MappedCache(files))
        {
            Fill(first.Cache.GetOrCreateTable<int, byte[]>("durable", _durable), ValueBytes, Entries);
            left = isKilled ? files.Fork() : files;
        }

        PileFullException refused = Assert.Throws<PileFullException>(() => new MappedCache(left, limitBytes: Lowered));
        Assert.Contains("MemoryLimitBytes = 2,097,152 is less than the 4,", refused.Message, StringComparison.Ordinal);
        Assert.Contains("durable tables and objects, which nothing evicts. Nothing was lost: raise it", refused.Message, StringComparison.Ordinal);
        Assert.Equal(Path.GetFullPath(MappedCache.Directory), refused.Path);

        using var again = new MappedCache(left);
        Assert.Equal(Entries, again.Cache.GetOrCreateTable<int, byte[]>("durable", _durable).Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnObjectUnderManyKeysCountsOnceWhereItCanLeaveAndNotAtAllWhereADurableKeyHoldsIt(bool isHeld)
    {
        const int Objects = 1500;
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files, limitBytes: 16 << 20))
        {
            PileTable<int, byte[]> durable = first.Cache.GetOrCreateTable<int, byte[]>("durable", _durable);
            PileTable<int, byte[]> table = first.Table<int, byte[]>();
            Fill(durable, ValueBytes, isHeld ? 0 : 1000);
            for (int item = 0; item < Objects; item++)
            {
                PilePointer pointer = first.Cache.Pile.Put(new byte[2000]);
                for (int key = 0; key < 5; key++)
                {
                    Assert.True(table.SetPointer((item * 5) + key, pointer).IsStored);
                }

                Assert.True(!isHeld || durable.SetPointer(item, pointer).IsStored);
            }
        }

        if (isHeld)
        {
            PileFullException refused = Assert.Throws<PileFullException>(() => new MappedCache(files, limitBytes: Lowered));
            Assert.Contains("is less than the 3,", refused.Message, StringComparison.Ordinal);
            return;
        }

        using var second = new MappedCache(files, limitBytes: Lowered, flushes: true);
        ComeDown(second);
        Assert.Equal(1000, second.Cache.GetOrCreateTable<int, byte[]>("durable", _durable).Count);
    }

    [Fact]
    public void DurableEntriesThatFitStayWhileTheOthersLeave()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            Fill(first.Cache.GetOrCreateTable<int, byte[]>("durable", _durable), ValueBytes, 1000);
            Fill(first.Table<int, byte[]>(), ValueBytes, 3000);
        }

        using var second = new MappedCache(files, limitBytes: Lowered, flushes: true);
        ComeDown(second);
        Assert.Equal(1000, second.Cache.GetOrCreateTable<int, byte[]>("durable", _durable).Count);
    }

    [Fact]
    public void ALimitThatIsTooSmallForAnyIsRefusedBeforeThereIsADirectory()
    {
        string path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());

        ArgumentOutOfRangeException refused = Assert.Throws<ArgumentOutOfRangeException>(() => PileCache.Open(path, new PileCacheOptions { MemoryLimitBytes = 1000 }));

        Assert.Contains("MemoryLimitBytes must be at least 1,048,576", refused.Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(path));
    }

    [Fact]
    public void WithoutALimitItIsThatOfMemoryButAtMostHalfOfTheDevice()
    {
        using var large = new SimulatedFiles();
        using var ofMemory = PileCache.Open(MappedCache.Directory, new PileCacheOptions { BackgroundCleaning = false }, MappedCache.Options(large));
        Assert.Equal(RegionProvider.Default.MachineMemoryBytes / 4 * 3, ofMemory.Pile.MemoryLimitBytes);

        using var small = new SimulatedFiles { CapacityBytes = 64 << 20 };
        using var ofDevice = PileCache.Open(MappedCache.Directory, new PileCacheOptions { BackgroundCleaning = false }, MappedCache.Options(small));
        Assert.InRange(ofDevice.Pile.MemoryLimitBytes, 24 << 20, 32 << 20);
    }

    [Fact]
    public void WithoutALimitNothingLeavesThatIsThere()
    {
        using var files = new SimulatedFiles { CapacityBytes = 12 << 20 };
        using (var first = new MappedCache(files))
        {
            Fill(first.Table<int, byte[]>(), ValueBytes, Entries * 3 / 2);
        }

        using var second = PileCache.Open(MappedCache.Directory, new PileCacheOptions { BackgroundCleaning = false }, MappedCache.Options(files));
        Assert.InRange(second.Pile.GetStatistics().UsedBytes, 6 << 20, second.Pile.MemoryLimitBytes);
    }

    /// <summary>The index has its space already, and none has to be free for it; one that is built anew has what the one before had.</summary>
    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    public void ACacheOpensOnADeviceThatOthersHaveFilled(PileTableKind kind, bool isKilled)
    {
        const int Keys = 40_000;
        using var files = new SimulatedFiles { CapacityBytes = 128 << 20 };
        using var first = new MappedCache(files, limitBytes: 64 << 20);
        PileTable<int, int> table = first.Table<int, int>(new PileTableOptions { Kind = kind });
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
        }

        using SimulatedFiles? killed = isKilled ? files.Fork() : null;
        first.Dispose();
        SimulatedFiles left = killed ?? files;
        left.CapacityBytes -= left.FreeBytes(MappedCache.Directory) - (64 << 10);
        using var second = PileCache.Open(MappedCache.Directory, new PileCacheOptions { BackgroundCleaning = false, MemoryLimitBytes = 64 << 20 }, MappedCache.Options(left));
        Assert.Equal(Keys, second.GetOrCreateTable<int, int>("table", new PileTableOptions { Kind = kind }).Count);
    }

    /// <summary>Nothing tells of large values until they are counted.</summary>
    [Fact]
    public void WithoutALimitNoLargeValueLeavesThatIsThere()
    {
        using var files = new SimulatedFiles { CapacityBytes = 128 << 20 };
        using (var first = new MappedCache(files, limitBytes: 100 << 20))
        {
            Fill(first.Table<int, byte[]>(), 1 << 20, 80);
        }

        using var second = PileCache.Open(MappedCache.Directory, new PileCacheOptions { BackgroundCleaning = false }, MappedCache.Options(files));
        second.Pile.Core.WaitCounted(TestContext.Current.CancellationToken);
        Assert.InRange(second.Pile.GetStatistics().UsedBytes, 80 << 20, second.Pile.MemoryLimitBytes);
        Assert.InRange(second.Pile.MemoryLimitBytes, 80 << 20, 100 << 20);
    }

    /// <summary>Lets the keeper work until the limit holds.</summary>
    private static void ComeDown(MappedCache cache)
    {
        // Steps follow each other at once here: what waits for a flush takes as many of them as the flush does.
        for (int tick = 0; tick < TicksMax && cache.Cache.Pile.GetStatistics().UsedBytes > Lowered; tick++)
        {
            cache.Cache.Pile.Commit();
            cache.Tick();
        }

        Assert.InRange(cache.Cache.Pile.GetStatistics().UsedBytes, 1, Lowered);
    }

    private static void Fill(PileTable<int, byte[]> table, int valueBytes, int entries)
    {
        for (int key = 0; key < entries; key++)
        {
            Assert.True(table.Set(key, new byte[valueBytes]).IsStored);
        }
    }
}
