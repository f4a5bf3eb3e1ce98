using Pile.Format;
using Pile.Persistence;
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
}
