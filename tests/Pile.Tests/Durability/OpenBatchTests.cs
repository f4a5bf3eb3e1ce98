using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Heap;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Batches that are open when their process ends. Their pointers were handed out, and the entries alone know it: a kill and a close keep these, a power cut doesn't.</summary>
public sealed class OpenBatchTests
{
    private const int Pointers = 1_500;
    private const int Puts = 4_000;

    /// <summary>What was in the slots before.</summary>
    public enum Before
    {
        /// <summary>Nothing.</summary>
        Nothing,

        /// <summary>Objects that were deleted.</summary>
        Deleted,

        /// <summary>Objects that a Clear took: the floors of their generations are known, and no record.</summary>
        Cleared,
    }

    [Theory]
    [InlineData(Before.Nothing, true)]
    [InlineData(Before.Nothing, false)]
    [InlineData(Before.Deleted, true)]
    [InlineData(Before.Deleted, false)]
    [InlineData(Before.Cleared, true)]
    [InlineData(Before.Cleared, false)]
    public void TheirPointersAndTheNextOnesGoToNoOtherObjectAfterAPowerCut(Before before, bool isKilled)
    {
        using var files = new SimulatedFiles();
        HashSet<PilePointer> issued = [];
        using ObjectPile first = Open(files);
        Prepare(first, before, issued);
        PileBatch batch = first.BeginBatch();
        Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
        first.Commit();
        if (!isKilled)
        {
            first.Dispose();
            batch.Dispose();
        }

        using SimulatedFiles ended = files.Fork();
        using ObjectPile second = Open(ended);
        Assert.Equal(isKilled ? PileOpening.RolledForward : PileOpening.Clean, second.RecoveryReport().Opening);
        Assert.Empty(second.Verify().Findings);
        second.Commit();
        AssertNoneTwice(second, issued);
        Assert.Empty(second.Verify().Findings);

        // The cut leaves nothing of what was put since the last flush.
        using SimulatedFiles cut = ended.EnumerateCuts(int.MaxValue).First();
        using ObjectPile third = Open(cut);
        Assert.Equal(PileOpening.Crawled, third.RecoveryReport().Opening);
        AssertNoneTwice(third, issued);
        third.Commit();
        AssertNoneTwice(third, issued);
        Assert.Empty(third.Verify().Findings);
    }

    /// <summary>A copy has no entries: what its records do not say, it must make up for.</summary>
    [Theory]
    [InlineData(Before.Nothing)]
    [InlineData(Before.Deleted)]
    [InlineData(Before.Cleared)]
    public void TheirPointersGoToNoOtherObjectOfACopy(Before before)
    {
        using var files = new SimulatedFiles();
        HashSet<PilePointer> issued = [];
        using ObjectPile pile = Open(files);
        Prepare(pile, before, issued);
        using PileBatch batch = pile.BeginBatch();
        Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
        _ = pile.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken);

        using ObjectPile copy = Open(files, "/copy");
        AssertNoneTwice(copy, issued);
        copy.Commit();
        Assert.Empty(copy.Verify().Findings);
        using SimulatedFiles cut = files.PowerCut(new Random(1));
        using ObjectPile second = Open(cut, "/copy");
        AssertNoneTwice(second, issued);
    }

    /// <summary>Nothing is put into the slots then, until there is room to say in the log which pointers they have had.</summary>
    [Fact]
    public void WithoutRoomTheSlotsAreNotIssuedBeforeTheNextOpen()
    {
        using var files = new SimulatedFiles();
        HashSet<PilePointer> issued = [];
        using ObjectPile first = Open(files);
        Prepare(first, Before.Deleted, issued);
        PileBatch batch = first.BeginBatch();
        Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
        using SimulatedFiles killed = files.Fork();
        killed.CapacityBytes = (1L << 40) - FreeBytes(killed);

        using ObjectPile second = Open(killed);
        Assert.Equal(Pointers, second.Durable!.Batches.SlotsHeld);
        Assert.Empty(second.Verify().Findings);
        using SimulatedFiles again = killed.Fork();
        again.CapacityBytes = long.MaxValue;
        using ObjectPile third = Open(again);
        Assert.Equal(0, third.Durable!.Batches.SlotsHeld);
        third.Commit();
        AssertNoneTwice(third, issued);
        Assert.Empty(third.Verify().Findings);
    }

    /// <summary>Only slots whose pointers a power cut would take back get a tombstone: after a Clear, or a cut, most free slots have none.</summary>
    [Theory]
    [InlineData(Before.Nothing)]
    [InlineData(Before.Deleted)]
    [InlineData(Before.Cleared)]
    public void AnOpenThatFindsNoneAppendsNothing(Before before)
    {
        using var files = new SimulatedFiles();
        using (ObjectPile pile = Open(files))
        {
            Prepare(pile, before, []);
        }

        using (ObjectPile pile = Open(files))
        {
            Assert.Null(pile.Durable!.Core.Writers[0]);
            Assert.Equal(0, pile.Core.Slots.Waiting);
            pile.Commit();
            _ = pile.Put("after");
        }

        using SimulatedFiles cut = files.PowerCut(new Random(1));
        using (ObjectPile pile = Open(cut))
        {
            _ = pile.Put("after");
        }

        using ObjectPile last = Open(cut);
        Assert.Equal(PileOpening.Clean, last.RecoveryReport().Opening);
        Assert.Null(last.Durable!.Core.Writers[0]);
        Assert.Equal(0, last.Core.Slots.Waiting);
    }

    /// <summary>The cleaner had appended a copy of a slot's tombstone when the process was killed: the next open takes it, where it stands before the other one.</summary>
    [Fact]
    public void ACopyOfATombstoneTakesNoPointerOfABatchBack()
    {
        using var files = new SimulatedFiles();
        using ObjectPile first = Open(files);
        HeapCore<DurableRecord> core = first.Durable!.Core;
        SegmentWriter<DurableRecord> survivors = core.Writers.Survivors;
        core.Cleaner.EnterRole();
        survivors.OpenSegment(core.Pool.TryTakeForCleaner(mayPass: true)!, neededBytes: 0);
        core.Cleaner.ExitRole();
        PilePointer deleted = first.Put("deleted");
        Assert.True(first.Delete(deleted));
        HashSet<PilePointer> issued = [deleted];
        Prepare(first, Before.Deleted, issued);
        using PileBatch batch = first.BeginBatch();
        Assert.All(Enumerable.Range(0, Pointers), index => Assert.True(issued.Add(batch.Put(index))));
        ulong entry = core.Table.Read(deleted.Slot);
        Assert.Equal(deleted.Generation + 1, (int)EntryWord.Generation(entry));
        core.Cleaner.EnterRole();
        long source = EntryWord.Location(entry);
        long copy = survivors.AppendCopy(source, core.Directory.Space.ReadWord(source), default);
        core.Cleaner.ExitRole();
        Assert.True(copy < source);

        using SimulatedFiles killed = files.Fork();
        using ObjectPile second = Open(killed);
        Assert.Equal(PileOpening.RolledForward, second.RecoveryReport().Opening);
        second.Commit();
        AssertNoneTwice(second, issued);
    }

    private static void Prepare(ObjectPile pile, Before before, HashSet<PilePointer> issued)
    {
        PilePointer[] pointers = before == Before.Nothing ? [] : [.. Enumerable.Range(0, Puts / 2).Select(index => pile.Put(index))];
        issued.UnionWith(pointers);
        if (before == Before.Deleted)
        {
            Assert.All(pointers, pointer => Assert.True(pile.Delete(pointer)));
        }
        else if (before == Before.Cleared)
        {
            pile.Clear();
        }

        pile.Commit();
    }

    private static void AssertNoneTwice(ObjectPile pile, HashSet<PilePointer> issued) =>
        Assert.All(Enumerable.Range(0, Puts), index => Assert.True(issued.Add(pile.Put(index))));

    /// <summary>What a device of a terabyte would have left.</summary>
    private static long FreeBytes(SimulatedFiles files)
    {
        files.CapacityBytes = 1L << 40;
        return files.FreeBytes("/pile");
    }

    private static ObjectPile Open(SimulatedFiles files, string path = "/pile") => ObjectPile.Open(path, PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        DiskReserveBytes = 0,
        WritersMax = 1,
        FlushInterval = TimeSpan.FromHours(1),
    });
}
