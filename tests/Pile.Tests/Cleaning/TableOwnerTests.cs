using System;
using System.Collections.Generic;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Cleaning;

/// <summary>Records of slots that are moved while others change their entries.</summary>
public sealed class TableOwnerTests
{
    /// <summary>A batch that takes a slot notes the generation in its entry, which leads to the tombstone as before.</summary>
    [Fact]
    public void ATombstoneWhoseSlotABatchTakesMeanwhileIsMovedAndItsSegmentIsFree()
    {
        using var files = new SimulatedFiles();
        PileOptions options = PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, Promise = PilePromise.ProcessSafe, WritersMax = 1, BackgroundCleaning = false };
        using ObjectPile pile = ObjectPile.Open("/moved", options);
        var core = (HeapCore<DurableRecord>)pile.Core;
        PilePointer deleted = pile.Put("deleted");
        PilePointer kept = pile.Put("kept");
        Assert.True(pile.Delete(deleted));
        Segment victim = Seal(core);
        uint slot = PointerWord.Slot(deleted.Word);
        using PileBatch batch = pile.BeginBatch();
        List<PilePointer> staged = [];
        core.Own(new MeanwhileOwner(slot, () => OwnThread.Start(() =>
        {
            while (staged.Count < 10_000 && (staged.Count == 0 || PointerWord.Slot(staged[^1].Word) != slot))
            {
                staged.Add(batch.Put(staged.Count));
            }
        }).Join()));

        core.Cleaner.EnterRole();
        _ = core.Cleaner.Pass(wantedSegments: 1, utilisationMax: 1, waitMs: 1000);
        core.Cleaner.ExitRole();
        Assert.Equal(slot, PointerWord.Slot(staged[^1].Word));
        Assert.Equal(0, core.Retired.Quarantined);
        Assert.Equal(SegmentState.Free, victim.State);
        Assert.Empty(pile.Verify().Findings);
        batch.Commit();
        Assert.False(pile.TryLease(deleted, out _));
        Assert.Equal("kept", pile.Get<string>(kept));
        Assert.All(staged, pointer => Assert.Equal(staged.IndexOf(pointer), pile.Get<int>(pointer)));
        Assert.Empty(pile.Verify().Findings);
    }

    private static Segment Seal(HeapCore<DurableRecord> core)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(core.Epochs.WriteWord);
        SegmentWriter<DurableRecord> writer = core.Writers.Hold(line);
        Segment open = writer.Open!;
        writer.Seal();
        writer.Release();
        line.Leave(held);
        return open;
    }

    /// <summary>Lets something happen between the copy of a slot's record and the swing of its entry.</summary>
    private sealed class MeanwhileOwner(uint slot, Action meanwhile) : IdleOwner, ISlotOwner
    {
        public override ISlotOwner? Slots => this;

        public bool IsEntry(ulong recordWord, long location) => RecordWord.Slot(recordWord) == slot;

        public bool TryMove(IRecordOwner table, ulong recordWord, ulong reference, long source, long target)
        {
            meanwhile();
            return table.TryMove(recordWord, reference, target);
        }
    }
}
