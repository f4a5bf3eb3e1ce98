using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Cleaning;

/// <summary>Room that is there, but not at hand: pages that wait for a flush which nobody else asks for, slots that another writer has.</summary>
public sealed class LastRoomTests
{
    private static PileOptions InFiles => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) };

    [Fact]
    public void APutThatNeedsASegmentAsksForTheFlushThatFreesLargeObjects()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open("/pile", InFiles with { Files = files });
        PilePointer[] large = [.. Enumerable.Range(0, 20).Select(_ => pile.PutBytes(new byte[50_000]))];
        List<PilePointer> all = Fill(pile, new byte[1000]);
        HeapCore<DurableRecord> core = pile.Durable!.Core;
        Assert.True(core.Large.UsedBytes < core.Pool.ResidentBytes);

        // What is sealed waits for no flush: nothing but the large objects does.
        pile.Commit();
        Assert.All(large, pointer => Assert.True(pile.Delete(pointer)));
        Assert.InRange(Fill(pile, new byte[1000]).Count, 500, all.Count);
    }

    [Fact]
    public void APutWaitsForSlotsOfFewDeletionsThatOnlyAFlushFrees()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open("/pile", InFiles with { Files = files, SlotsMax = 1000 });
        List<PilePointer> all = Fill(pile, [1]);
        Assert.All(all.Take(100), pointer => Assert.True(pile.Delete(pointer)));
        Assert.Equal(100, Fill(pile, [1]).Count);
        Assert.Equal(all.Count, pile.GetStatistics().Objects);
        Assert.Empty(pile.Verify().Findings);
    }

    [Fact]
    public void APutGetsTheSlotsOfObjectsThatAnotherWriterDeleted()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { SlotsMax = 1000, WritersMax = 2 });
        List<PilePointer> all = Fill(pile.It, [1]);

        // The first writer is this thread's own by now.
        OwnThread.Start(() => Assert.All(all.Take(100), pointer => Assert.True(pile.It.Delete(pointer)))).Join();
        Assert.Equal(2, pile.Core.Writers.Made);
        Assert.Equal(100, Fill(pile.It, [1]).Count);
        Assert.Equal(all.Count, pile.Statistics.Objects);
    }

    private static List<PilePointer> Fill(ObjectPile pile, byte[] bytes)
    {
        List<PilePointer> put = [];
        while (pile.TryPutBytes(bytes, out PilePointer pointer) == PileStatus.Ok)
        {
            put.Add(pointer);
        }

        return put;
    }
}
