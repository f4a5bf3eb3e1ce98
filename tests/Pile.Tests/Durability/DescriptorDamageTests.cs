using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Large objects whose descriptors, in the log, were damaged while the pile was closed: none of the others comes to harm.</summary>
public sealed class DescriptorDamageTests : IDisposable
{
    private const string Path = "/pile";
    private const int LocationByte = 0;
    private const int LengthByte = 8;
    private const int LargeBytes = 16 * Limits.OsPageBytes;

    private readonly SimulatedFiles _files = new();
    private readonly PilePointer _damaged;
    private readonly PilePointer _other;
    private readonly string _extent;
    private readonly long _descriptorAt;

    public DescriptorDamageTests()
    {
        using ObjectPile pile = Open();
        _damaged = pile.PutBytes(Content(1, LargeBytes));
        _other = pile.PutBytes(Content(2, LargeBytes));
        long location = EntryWord.Location(pile.Core.Table.Read(_damaged.Slot));
        long row = location >> Limits.ExtentShiftWords;
        _extent = $"{Path}/extents/{StoreNames.OfExtent((int)row)}";
        _descriptorAt = ExtentHeader.ExtentPrefixBytes + ((location - (row << Limits.ExtentShiftWords)) * Limits.WordBytes) + DurableRecord.HeaderBytes;

        // What the damages below rely on: the other's run follows, and has the higher slot.
        Assert.True(_damaged.Slot < _other.Slot);
        Assert.Equal(RunOf(pile, _damaged) + (LargeBytes / Limits.WordBytes), RunOf(pile, _other));
        Assert.Equal(0, RunOf(pile, _damaged) & (LargeBytes / Limits.WordBytes));
    }

    /// <summary>Bytes of the descriptor, and the bits of them to flip.</summary>
    public static TheoryData<int, byte> Damages => new()
    {
        { LengthByte + 1, 0x80 }, // half of the other's run as well
        { LengthByte + 3, 0x80 }, // negative
        { LocationByte + 1, 0x20 }, // the other's run
        { LocationByte, 0x01 }, // in the midst of a page
        { LocationByte + 4, 0x01 }, // where no extent is
        { LocationByte + 7, 0x80 }, // negative
        { 12, 0x01 }, // its kind
    };

    public void Dispose() => _files.Dispose();

    [Theory]
    [MemberData(nameof(Damages))]
    public void TheOthersPagesAreGivenToNobody(int at, byte bits)
    {
        Flip(at, bits);
        using (ObjectPile pile = Open())
        {
            Assert.Equal(PileOpening.Clean, pile.RecoveryReport().Opening);
            Assert.Equal(Content(2, LargeBytes), pile.Get<byte[]>(_other));
            PilePointer[] put = [.. Enumerable.Range(3, 3).Select(seed => pile.PutBytes(Content(seed, LargeBytes / 2)))];
            Assert.Equal(Content(2, LargeBytes), pile.Get<byte[]>(_other));
            Assert.Equal(PileStatus.Corrupted, StatusOf(pile, _damaged));
            pile.UpdateBytes(_damaged, Content(9, LargeBytes));
            AssertGood(pile, put);
        }

        using ObjectPile again = Open();
        Assert.Equal(PileOpening.Clean, again.RecoveryReport().Opening);
        AssertGood(again, []);

        void AssertGood(ObjectPile pile, PilePointer[] put)
        {
            Assert.Empty(pile.Verify().Findings);
            Assert.Equal(Content(9, LargeBytes), pile.Get<byte[]>(_damaged));
            Assert.Equal(Content(2, LargeBytes), pile.Get<byte[]>(_other));
            Assert.All(put, (pointer, index) => Assert.Equal(Content(index + 3, LargeBytes / 2), pile.Get<byte[]>(pointer)));
        }
    }

    [Theory]
    [MemberData(nameof(Damages))]
    public void ItsDeletionFreesNothingOfTheOthers(int at, byte bits)
    {
        Flip(at, bits);
        using ObjectPile pile = Open();
        Assert.Equal(Content(2, LargeBytes), pile.Get<byte[]>(_other));
        Assert.True(pile.Delete(_damaged));
        pile.Commit();
        _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        PilePointer put = pile.PutBytes(Content(3, LargeBytes));
        Assert.Equal(Content(2, LargeBytes), pile.Get<byte[]>(_other));
        Assert.Equal(Content(3, LargeBytes), pile.Get<byte[]>(put));
        Assert.Equal(2, pile.GetStatistics().LargeObjects);
        Assert.Empty(pile.Verify().Findings);
    }

    [Theory]
    [MemberData(nameof(Damages))]
    public void AClearFreesWhatIsFreed(int at, byte bits)
    {
        Flip(at, bits);
        using ObjectPile pile = Open();
        pile.Clear();
        pile.Commit();
        _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal((0, 0), (pile.GetStatistics().LargeObjects, pile.GetStatistics().LargeBytes));
        PilePointer[] put = [.. Enumerable.Range(3, 3).Select(seed => pile.PutBytes(Content(seed, LargeBytes)))];
        Assert.All(put, (pointer, index) => Assert.Equal(Content(index + 3, LargeBytes), pile.Get<byte[]>(pointer)));
        Assert.Empty(pile.Verify().Findings);
    }

    [Theory]
    [MemberData(nameof(Damages))]
    public void WhereReadsVerifyNoBytesItIsCorruptedAllTheSame(int at, byte bits)
    {
        Flip(at, bits);
        using ObjectPile pile = Open(PileVerifyOnRead.Never);
        Assert.Equal(PileStatus.Corrupted, StatusOf(pile, _damaged));
        Assert.Throws<PileCorruptedException>(() => pile.Get<byte[]>(_damaged));
        Assert.Throws<PileCorruptedException>(() => pile.Pin(_damaged));
        Assert.Equal([_other], Listed(pile));
        Assert.Equal(1, pile.GetStatistics().CorruptedObjects);
        Assert.Equal(Content(2, LargeBytes), pile.Get<byte[]>(_other));
    }

    /// <summary>A device may give what it gave damaged as it was the next time. Meanwhile the pages were free.</summary>
    [Theory]
    [InlineData(PileVerifyOnRead.FirstTouch)]
    [InlineData(PileVerifyOnRead.Always)]
    [InlineData(PileVerifyOnRead.Never)]
    public void ADescriptorThatIsReadAsItWasAfterTheCountFreesAndShowsNothing(PileVerifyOnRead mode)
    {
        Flip(LocationByte + 4, 0x01);
        using ObjectPile pile = Open(mode);
        pile.Core.WaitCounted(TestContext.Current.CancellationToken);
        pile.Core.Directory.Space.Bytes(EntryWord.Location(pile.Core.Table.Read(_damaged.Slot)), DurableRecord.HeaderBytes + LocationByte + 4, 1)[0] ^= 0x01;
        Assert.Equal(PileStatus.Corrupted, StatusOf(pile, _damaged));
        PilePointer put = pile.PutBytes(Content(3, LargeBytes));
        Assert.Equal(RunOf(pile, _damaged), RunOf(pile, put));
        Assert.True(pile.Delete(_damaged));
        pile.Commit();
        _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        PilePointer more = pile.PutBytes(Content(4, LargeBytes));
        Assert.Equal(Content(2, LargeBytes), pile.Get<byte[]>(_other));
        Assert.Equal(Content(3, LargeBytes), pile.Get<byte[]>(put));
        Assert.Equal(Content(4, LargeBytes), pile.Get<byte[]>(more));
        Assert.Empty(pile.Verify().Findings);
    }

    [Fact]
    public void WhereReadsVerifyNoBytesTheBytesOfALargeObjectMayBeAny()
    {
        long run;
        using (ObjectPile pile = Open())
        {
            run = RunOf(pile, _damaged);
        }

        long row = run >> Limits.ExtentShiftWords;
        Flip($"{Path}/extents/{StoreNames.OfExtent((int)row)}", ExtentHeader.ExtentPrefixBytes + ((run - (row << Limits.ExtentShiftWords)) * Limits.WordBytes), 0x10);
        using ObjectPile never = Open(PileVerifyOnRead.Never);
        Assert.Equal(PileStatus.Ok, StatusOf(never, _damaged));
    }

    [Fact]
    public void ALimitBelowWhatLargeObjectsTakeFreesNoneOfTheirPages()
    {
        PilePointer large;
        using (ObjectPile pile = Open())
        {
            large = pile.PutBytes(Content(5, 4 << 20));
        }

        using ObjectPile low = Open(limitBytes: 2 << 20);
        Assert.Equal(3, low.GetStatistics().LargeObjects);
        Assert.Equal(Content(5, 4 << 20), low.Get<byte[]>(large));
        Assert.Equal(PileStatus.Full, low.TryPutBytes(Content(6, 1 << 20), out _));
        low.MemoryLimitBytes = 32 << 20;
        PilePointer put = low.PutBytes(Content(6, 4 << 20));
        Assert.Equal(Content(5, 4 << 20), low.Get<byte[]>(large));
        Assert.Equal(Content(6, 4 << 20), low.Get<byte[]>(put));
        Assert.Empty(low.Verify().Findings);
    }

    private static byte[] Content(int seed, int bytes)
    {
        byte[] content = new byte[bytes];
        new Random(seed).NextBytes(content);
        return content;
    }

    private static long RunOf(ObjectPile pile, PilePointer pointer)
    {
        long location = EntryWord.Location(pile.Core.Table.Read(pointer.Slot));
        return LargeDescriptor.Read(pile.Core.Directory.Space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes)).RunLocation;
    }

    private static PileStatus StatusOf(ObjectPile pile, PilePointer pointer)
    {
        if (pile.TryLease(pointer, out PileLease lease, out PileStatus status))
        {
            lease.Dispose();
        }

        return status;
    }

    private static List<PilePointer> Listed(ObjectPile pile)
    {
        List<PilePointer> listed = [];
        foreach (PileItem item in pile.Enumerate())
        {
            listed.Add(item.Pointer);
        }

        return listed;
    }

    private ObjectPile Open(PileVerifyOnRead verifyOnRead = PileVerifyOnRead.FirstTouch, long limitBytes = 32 << 20) =>
        ObjectPile.Open(Path, PileOptions.Tiny with
        {
            Files = _files,
            MemoryLimitBytes = null,
            DiskLimitBytes = limitBytes,
            WritersMax = 1,
            FlushInterval = TimeSpan.FromHours(1),
            VerifyOnRead = verifyOnRead,
        });

    private void Flip(int at, byte bits) => Flip(_extent, _descriptorAt + at, bits);

    private void Flip(string path, long at, byte bits)
    {
        using StoreFile file = _files.Open(path, FileOpening.OpenExisting);
        byte[] one = new byte[1];
        file.Read(at, one);
        one[0] ^= bits;
        file.Write(at, one);
    }
}
