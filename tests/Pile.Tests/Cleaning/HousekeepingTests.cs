using System;
using Pile.Cleaning;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Cleaning;

public sealed class HousekeepingTests
{
    [Fact]
    public void ALoweredLimitIsReachedByCleaningAndGivingBack()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 32 << 20, UsedOverLive = 16, WritersMax = 1 });
        PilePointer[] pointers = new PilePointer[10_000];
        for (int index = 0; index < pointers.Length; index++)
        {
            pointers[index] = pile.It.PutBytes(new byte[index % 500 == 0 ? 100_000 : 1000]);
        }

        for (int index = 0; index < pointers.Length; index++)
        {
            Assert.True(index % 4 == 0 || pile.It.Delete(pointers[index]));
        }

        Housekeeping<MemoryRecord> keeper = Keeper(pile);
        _ = keeper.Tick(woken: true);
        Assert.True(pile.Statistics.UsedBytes > 8 << 20);

        pile.It.MemoryLimitBytes = 6 << 20;
        for (int tick = 0; tick < 50 && pile.Statistics.UsedBytes > 6 << 20; tick++)
        {
            _ = keeper.Tick(woken: tick == 0);
        }

        Assert.InRange(pile.Statistics.UsedBytes, 4 << 20, 6 << 20);
    }

    [Fact]
    public void ALimitThatCantBeReachedIsSettledOnceNothingIsGained()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 32 << 20, WritersMax = 1 });
        for (int index = 0; index < 8000; index++)
        {
            pile.It.PutBytes(new byte[1000]);
        }

        pile.It.MemoryLimitBytes = 2 << 20;
        Housekeeping<MemoryRecord> keeper = Keeper(pile);
        int ticks = 0;
        while (!keeper.Tick(woken: false))
        {
            Assert.True(++ticks < 100);
        }

        Assert.True(pile.Statistics.UsedBytes > 7 << 20);
    }

    [Fact]
    public void AGrowingPileHoldsNoMoreFreeSegmentsThanWritersAreAboutToTake()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 64 << 20, WritersMax = 1 });
        Housekeeping<MemoryRecord> keeper = Keeper(pile);
        byte[] payload = new byte[1000];
        for (int index = 0; index < 16_000; index++)
        {
            pile.It.PutBytes(payload);
            if (index % 10 == 0)
            {
                lock (pile.Core.Keeper.Working)
                {
                    _ = keeper.Tick(woken: true);
                }
            }
        }

        PileStatistics statistics = pile.Statistics;
        Assert.InRange(statistics.FreeSegmentBytes, 0, Limits.SegmentBytesMin);
        Assert.InRange(statistics.SegmentBytes - statistics.LiveBytes, 0, (long)(statistics.SegmentBytes * 0.05) + (3 * Limits.SegmentBytesMin));
    }

    [Fact]
    public void AGrowingPileInFilesHoldsSomeMore()
    {
        using var directory = new TemporaryDirectory();
        var options = new PileOptions { Promise = PilePromise.ProcessSafe, WritersMax = 1 };
        using ObjectPile pile = ObjectPile.Open(directory.Path, options);
        HeapCore<DurableRecord> core = pile.Durable!.Core;
        var keeper = new Housekeeping<DurableRecord>(core.Cleaner, core.Room, core.Pool, core.Policy, core.Large, core.Budget, core.Epochs, TimeProvider.System, pile);
        byte[] payload = new byte[1000];
        while (core.Pool.ResidentBytes < 16 << 20)
        {
            _ = pile.PutBytes(payload);
        }

        lock (core.Keeper.Working)
        {
            _ = keeper.Tick(woken: true);
            Assert.InRange(core.Pool.FreeBytes, 2 << 20, 3 << 20);
        }
    }

    private static Housekeeping<MemoryRecord> Keeper(CheckedPile pile) => new(
        pile.Core.Cleaner,
        pile.Core.Room,
        pile.Core.Pool,
        pile.Core.Policy,
        pile.Core.Large,
        pile.Core.Budget,
        pile.Core.Epochs,
        TimeProvider.System,
        pile.It);
}
