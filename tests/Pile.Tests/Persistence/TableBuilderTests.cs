using System;
using Pile.Format;
using Pile.Heap;
using Pile.Persistence;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Persistence;

public sealed class TableBuilderTests
{
    [Fact]
    public void ARecordOfTheLastSlotThatANumberCanSayIsRefused()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny);
        var builder = new TableBuilder(pile.Core.Extents, pile.Core.Directory, pile.Core.Table, pile.Core.Slots, identity: 1, slotsEnd: uint.MaxValue);
        var crafted = new LogRecord(Location: 8, RecordWord.Pack(uint.MaxValue, RecordCode.Bytes, payloadBytes: 0), Word1: 1UL << DurableRecord.VersionBits);

        Assert.False(builder.TryAdd(crafted));
        Assert.True(builder.TryAdd([crafted], 1));
        Assert.Equal([crafted], builder.Far.Kept);
        Assert.False(builder.IsCurrent(crafted));
    }

    /// <summary>A free entry may have been raised above its tombstone, by a recovery or a batch: pointers of these generations were handed out (R8, B1).</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ATombstoneTakesNoGenerationBackThatAFreeEntryHas(bool hasTombstone)
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) });
        uint slot = pile.Put("deleted").Slot;
        HeapCore<DurableRecord> core = pile.Durable!.Core;
        core.Writers.HoldAll();
        SegmentWriter<DurableRecord> writer = core.Writers[0]!;
        Assert.True(writer.EnsureSpace(2 * DurableRecord.HeaderBytes, overRatio: true));
        long first = writer.Append(slot, RecordCode.Tombstone, default(EmptyPayload), new RecordStamp { Generation = 3, Version = 2 });
        long copy = writer.Append(slot, RecordCode.Tombstone, default(EmptyPayload), new RecordStamp { Generation = 3, Version = 2 });
        core.Writers.ReleaseAll();

        var builder = new TableBuilder(core.Extents, core.Directory, core.Table, core.Slots, core.Log.Identity, slotsEnd: uint.MaxValue);
        core.Table.Publish(slot, EntryWord.Free(5, hasTombstone ? copy : 0));
        Assert.True(builder.TryAdd(LogRecord.Read(core.Directory.Space, first)));
        Assert.Equal(EntryWord.Free(5, first), core.Table.Read(slot));
    }
}
