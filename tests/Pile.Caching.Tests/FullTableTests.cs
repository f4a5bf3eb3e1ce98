using System;
using Pile.Cache;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>What the adapters tell of a durable table without room.</summary>
public sealed class FullTableTests
{
    private static readonly PileTableOptions _durable = new() { Kind = PileTableKind.Durable };

    [Fact]
    public void ADurableTableWhoseDeviceIsLowTellsOfTheDeviceAndNotOfTheLimit()
    {
        using var files = new SimulatedFiles { CapacityBytes = 1L << 30 };
        using PileCache cache = PileCache.Open(
            "/cache",
            new PileCacheOptions { MemoryLimitBytes = 64 << 20, BackgroundCleaning = false },
            PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskReserveBytes = 1 << 20, FlushInterval = TimeSpan.FromHours(1) });
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("t", _durable);
        files.CapacityBytes = 8 << 20;

        Assert.Matches(
            "^The durable table 't' has no room for the 15,000 bytes of '[0-9]+': the device of the cache's files has [0-9,]+ bytes free, of which 1,048,576 are kept. What its key had is as it was. Free space on the device, or remove entries.$",
            Filled(table));
    }

    [Fact]
    public void ADurableTableAtTheLimitTellsOfThat()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20, BackgroundCleaning = false });

        Assert.EndsWith("within the 4,194,304 bytes of its cache. What its key had is as it was. Raise MemoryLimitBytes, or remove entries.", Filled(cache.GetOrCreateTable<int, byte[]>("t", _durable)), StringComparison.Ordinal);
    }

    private static string Filled(PileTable<int, byte[]> table)
    {
        byte[] value = new byte[15_000];
        for (int key = 0; ; key++)
        {
            Assert.InRange(key, 0, 10_000);
            PileSetResult result = table.Set(key, value);
            if (!result.IsStored)
            {
                return Assert.Throws<PileFullException>(() => FullTable.Settle(table, key, value.Length, result)).Message;
            }
        }
    }
}
