using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Versions that the slots of a stripe draw from together: they rise for each slot, after each open too.</summary>
public sealed class StripeVersionsTests : IDisposable
{
    private readonly SimulatedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public void SlotsOfAStripeDrawFromOneNumber()
    {
        using ObjectPile pile = Open(_files);
        (PilePointer one, PilePointer other) = PutTwoOfAStripe(pile);
        Assert.Equal((1UL, 1UL), (VersionOf(pile, one), VersionOf(pile, other)));
        for (ulong version = 2; version < 10; version += 2)
        {
            pile.UpdateBytes(one, [1]);
            pile.UpdateBytes(other, [2]);
            Assert.Equal((version, version + 1), (VersionOf(pile, one), VersionOf(pile, other)));
        }

        using (PileBatch batch = pile.BeginBatch())
        {
            batch.Update(one, (byte)3);
            batch.Commit();
        }

        Assert.Equal(10UL, VersionOf(pile, one));
        Assert.True(pile.Delete(other));
        Assert.Equal(11UL, VersionAt(pile, EntryWord.Location(pile.Core.Table.Read(other.Slot))));
        pile.UpdateBytes(one, [4]);
        Assert.Equal(12UL, VersionOf(pile, one));
    }

    /// <summary>Neither a close, nor a kill, nor a power cut has an object's next version stand behind its last.</summary>
    [Theory]
    [InlineData("close")]
    [InlineData("kill")]
    [InlineData("cut")]
    public void AnOpenGoesOnBehindTheNewest(string how)
    {
        PilePointer one;
        PilePointer other;
        using ObjectPile pile = Open(_files);
        (one, other) = PutTwoOfAStripe(pile);
        for (int count = 0; count < 20; count++)
        {
            pile.UpdateBytes(one, [1]);
        }

        pile.Commit();
        using SimulatedFiles left = how switch
        {
            "close" => Closed(pile),
            "kill" => _files.Fork(),
            _ => _files.PowerCut(new Random(1)),
        };
        using ObjectPile again = Open(left);
        Assert.Equal(21UL, VersionOf(again, one));
        again.UpdateBytes(other, [5]);
        Assert.Equal(22UL, VersionOf(again, other));
        again.UpdateBytes(one, [6]);
        Assert.Equal(23UL, VersionOf(again, one));
        again.Commit();
        using SimulatedFiles cut = left.PowerCut(new Random(2));
        using ObjectPile last = Open(cut);
        Assert.Equal(PileOpening.Crawled, last.RecoveryReport().Opening);
        Assert.Equal((6, 5), (Read(last, one), Read(last, other)));
    }

    /// <summary>Until all slots are counted the stripe may not know the newest: versions follow the record's own, and the stripe hears of them.</summary>
    [Fact]
    public void BeforeAllIsCountedAVersionFollowsTheRecords()
    {
        using ObjectPile pile = Open(_files);
        (PilePointer one, PilePointer other) = PutTwoOfAStripe(pile);
        pile.Core.CountedSlots = Limits.FirstSlot;
        pile.UpdateBytes(one, [1]);
        pile.UpdateBytes(one, [1]);
        pile.UpdateBytes(other, [1]);
        Assert.Equal((3UL, 2UL), (VersionOf(pile, one), VersionOf(pile, other)));
        pile.Core.CountedSlots = long.MaxValue;
        pile.UpdateBytes(other, [1]);
        Assert.Equal(4UL, VersionOf(pile, other));
    }

    /// <summary>A crawl steps from a large object's descriptor to the record before it by its number.</summary>
    [Fact]
    public void ADescriptorFollowsTheRecordThatItReplaces()
    {
        using ObjectPile pile = Open(_files);
        (PilePointer one, PilePointer other) = PutTwoOfAStripe(pile);
        for (int count = 0; count < 5; count++)
        {
            pile.UpdateBytes(other, [1]);
        }

        pile.UpdateBytes(one, new byte[100_000]);
        pile.UpdateBytes(one, new byte[100_001]);
        Assert.Equal((3UL, 6UL), (VersionOf(pile, one), VersionOf(pile, other)));
        using (PileBatch batch = pile.BeginBatch())
        {
            batch.Update(one, new string('x', 100_002));
            batch.Commit();
        }

        Assert.Equal(4UL, VersionOf(pile, one));
        pile.UpdateBytes(one, [1]);
        Assert.Equal(7UL, VersionOf(pile, one));
    }

    /// <summary>An object that was changed as often as half of the versions takes none from its neighbours.</summary>
    [Fact]
    public void BeyondHalfOfTheRangeEachGoesByItsOwn()
    {
        using ObjectPile pile = Open(_files);
        (PilePointer one, PilePointer other) = PutTwoOfAStripe(pile);
        pile.Core.Stripes!.NewestVersionOf(one.Slot) = (DurableRecord.VersionMax / 2) - 1;
        pile.UpdateBytes(one, [1]);
        pile.UpdateBytes(one, [1]);
        pile.UpdateBytes(other, [1]);
        Assert.Equal(((DurableRecord.VersionMax / 2) + 1, 2UL), (VersionOf(pile, one), VersionOf(pile, other)));
    }

    private SimulatedFiles Closed(ObjectPile pile)
    {
        pile.Dispose();
        return _files.Fork();
    }

    private static ObjectPile Open(SimulatedFiles files) =>
        ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 16 << 20, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1) });

    private static (PilePointer One, PilePointer Other) PutTwoOfAStripe(ObjectPile pile)
    {
        var stripes = new Dictionary<int, PilePointer>();
        foreach (int _ in Enumerable.Range(0, FileLimits.SlotStripes + 1))
        {
            PilePointer pointer = pile.PutBytes([0]);
            int stripe = SlotStripes.StripeOf(pointer.Slot);
            if (stripes.TryGetValue(stripe, out PilePointer before))
            {
                return (before, pointer);
            }

            stripes.Add(stripe, pointer);
        }

        throw new InvalidOperationException("more slots than stripes, and each in another");
    }

    private static int Read(ObjectPile pile, PilePointer pointer)
    {
        using PileLease lease = pile.Lease(pointer);
        return lease.Bytes[0];
    }

    private static ulong VersionOf(ObjectPile pile, PilePointer pointer) => VersionAt(pile, EntryWord.Location(pile.Core.Table.Read(pointer.Slot)));

    private static ulong VersionAt(ObjectPile pile, long location) => DurableRecord.Version(pile.Core.Directory.Space.ReadWord(location + 1));
}
