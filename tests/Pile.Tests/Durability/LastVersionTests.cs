using System;
using System.Linq;
using Pile.Format;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>An object, or a root, that was changed as often as there are versions: it can be deleted still, and nothing else.</summary>
public sealed class LastVersionTests : IDisposable
{
    // Its lowest bit is clear: what a version carries into it shows.
    private const uint Generation = 2;
    private readonly SimulatedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void AnObjectAtItsLastVersionIsDeletedForGood(bool inBatch)
    {
        using ObjectPile pile = Open(_files);
        PilePointer first = pile.PutBytes([1]);
        pile.Core.Table.Publish(first.Slot, EntryWord.Live(Age(pile, first.Slot), Generation));
        var pointer = new PilePointer(PointerWord.Pack(first.Slot, pile.Tag, Generation));
        Assert.Equal(PileStatus.VersionsExhausted, pile.TryUpdateBytes(pointer, [2]));
        Assert.Contains("last version (2^40 - 1). Put its value as a new object", Assert.Throws<PileException>(() => pile.UpdateBytes(pointer, [2])).Message, StringComparison.Ordinal);

        if (inBatch)
        {
            using PileBatch batch = pile.BeginBatch();
            batch.Delete(pointer);
            batch.Commit();
        }
        else
        {
            Assert.True(pile.Delete(pointer));
        }

        pile.Commit();
        RequireGone(pile, pointer);
        using SimulatedFiles cut = _files.PowerCut(new Random(1));
        using ObjectPile again = Open(cut);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        RequireGone(again, pointer);
    }

    [Fact]
    public void ARootAtItsLastVersionIsRemovedForGoodAndNotChanged()
    {
        using ObjectPile pile = Open(_files);
        PilePointer pointer = pile.PutBytes([1]);
        pile.Roots.Set("root", pointer);
        uint slot = Enumerable.Range(1, 100).Select(static slot => (uint)slot).First(slot => EntryWord.IsInternal(pile.Core.Table.Read(slot)));
        _ = Age(pile, slot);
        Assert.Throws<PileException>(() => pile.Roots.Set("root", pile.PutBytes([2])));
        Assert.True(pile.Roots.TryGet("root", out PilePointer root) && root == pointer);
        Assert.Empty(pile.Verify().Findings);

        Assert.True(pile.Roots.Remove("root"));
        pile.Commit();
        Assert.Empty(pile.Verify().Findings);
        using SimulatedFiles cut = _files.PowerCut(new Random(1));
        using ObjectPile again = Open(cut);
        Assert.False(again.Roots.Remove("root"));
        Assert.Empty(again.Verify().Findings);
    }

    private static ObjectPile Open(SimulatedFiles files) =>
        ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 16 << 20, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) });

    /// <summary>Gives a slot's record its last version, and the generation of this test.</summary>
    /// <returns>Where it stands.</returns>
    private static long Age(ObjectPile pile, uint slot)
    {
        long location = EntryWord.Location(pile.Core.Table.Read(slot));
        ForgedRecord.Seal(pile, location, pile.Core.Directory.Space.ReadWord(location), DurableRecord.VersionMax, Generation);
        pile.Core.Stripes!.NewestVersionOf(slot) = DurableRecord.VersionMax;
        return location;
    }

    private static void RequireGone(ObjectPile pile, PilePointer pointer)
    {
        Assert.False(pile.Delete(pointer));
        Assert.False(pile.TryLease(pointer, out _, out PileStatus status));
        Assert.Equal(PileStatus.Stale, status);
        Assert.Empty(pile.Verify().Findings);
    }
}
