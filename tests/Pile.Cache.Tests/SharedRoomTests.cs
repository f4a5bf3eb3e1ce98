using System.Linq;
using Pile.Cache.Engine;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A cache that holds nothing but objects that its keys share: they make room as values do.</summary>
public sealed class SharedRoomTests
{
    private const long LimitBytes = 4 << 20;

    [Theory]
    [InlineData(40_000, 300, 1)]
    [InlineData(40_000, 300, 3)]
    [InlineData(2000, 6000, 1)]
    [InlineData(2000, 6000, 3)]
    [InlineData(20, 30_000, 1)]
    public void ASetPointerEvictsOthersWhereWhatIsFreedWaitsForAFlush(int objectBytes, int objects, int keys)
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files, limitBytes: LimitBytes, flushes: true);
        PileTable<int, byte[]> table = cache.Table<int, byte[]>();
        for (int item = 0; item < objects; item++)
        {
            PilePointer pointer = cache.Cache.Pile.Put(new byte[objectBytes]);
            for (int key = 0; key < keys; key++)
            {
                PileSetResult result = table.SetPointer((item * keys) + key, pointer);
                Assert.True(result.IsStored, $"{result.Outcome} at {item} of {table.Count}");
            }
        }

        Assert.InRange(cache.Cache.Pile.GetStatistics().UsedBytes, 1, LimitBytes);
        Assert.True(table.TryGetPointer((objects * keys) - 1, out _));
        Assert.InRange(table.Count, 20, objects * keys / 2);
    }

    [Fact]
    public void AnObjectWhoseMarkFoundNoRoomGetsItInTheBackground()
    {
        bool wasWithout = false;
        for (int bytes = 100; bytes < 2000 && !wasWithout; bytes += 40)
        {
            using var files = new SimulatedFiles();
            using var cache = new MappedCache(files, limitBytes: 1 << 20, flushes: true);
            PileTable<int, byte[]> table = cache.Table<int, byte[]>(new PileTableOptions { DefaultPriority = PileCachePriority.NeverRemove });
            int stored = 0;
            while (cache.Cache.Pile.TryPutBytes(new byte[bytes], out PilePointer pointer) == PileStatus.Ok && table.SetPointer(stored, pointer).IsStored)
            {
                stored++;
            }

            wasWithout = cache.Cache.Core.Shared.List().Any(static known => known.Mark == 0);
            if (!wasWithout)
            {
                continue;
            }

            for (int key = 0; key < stored / 2; key++)
            {
                table.Remove(key);
            }

            for (int tick = 0; tick < 5; tick++)
            {
                PointerRestartTests.Settle(cache);
            }

            Assert.NotEmpty(cache.Cache.Core.Shared.List());
            Assert.DoesNotContain(cache.Cache.Core.Shared.List(), static known => known.Mark == 0);
        }

        Assert.True(wasWithout, "there was room for every mark");
    }

    [Fact]
    public void AnObjectThatCanNeverBeDeletedHoldsUpNoOther()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files);
        PilePointer good = cache.Cache.Pile.Put("shared");
        ulong foreign = good.Word ^ (1UL << PointerWord.TagShift);
        cache.Cache.Core.Shared.Restore([new SharedObject(foreign, 0, 0, IsOwned: true, 0, 0), new SharedObject(good.Word, 0, 0, IsOwned: true, 0, 0)]);
        PointerRestartTests.Settle(cache);
        Assert.Equal(0, cache.Cache.Core.Shared.Count);
        Assert.False(cache.Cache.Pile.TryGet(good, out string? _));
    }
}
