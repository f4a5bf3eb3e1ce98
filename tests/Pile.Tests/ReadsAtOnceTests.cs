using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests;

public sealed class ReadsAtOnceTests
{
    private const int NotedFrames = 8;

    [Fact]
    public void ATableStandsInAHoleOfTheFlatSpace()
    {
        AddressSpace.SkipWithoutRoom();
        using var pile = new CheckedPile();
        Region table = pile.Core.Extents.Table;

        Assert.Equal(Limits.TableBytesWhole, table.Bytes);
        Assert.Equal(table.Address, pile.Core.Table.Region.Address);
        Assert.Equal(table.Address - (nint)table.Bytes, pile.Core.Extents.Space.AddressOf(0));
        AssertRead(pile.It, pile.It.Put(5L), 5);
    }

    [Fact]
    public void APileReadsWhatLiesBehindItsTableToo()
    {
        AddressSpace.SkipWithoutRoom();
        using var pile = new CheckedPile(PileOptions.Tiny with { MemoryLimitBytes = 256 << 20, WritersMax = 1, Regions = new SmallMachine(64L << 30) });
        PilePointer near = pile.It.Put(5L);
        PilePointer gone = pile.It.Put(6L);
        long bytes = TakeAllBeforeTheTable(pile.Core.Extents);
        Assert.Equal(Limits.TableBytesWhole - Limits.ExtentBytes, bytes);

        var pointers = new List<PilePointer>();
        while (pointers.Count == 0 || !IsFar(pile, pointers[^1]))
        {
            pointers.Add(pile.It.PutBytes(new byte[8 << 10]));
            Assert.True(pointers.Count < 2 * Limits.ExtentBytes / (8 << 10), "no record came behind the table");
        }

        PilePointer far = pile.It.Put(7L);
        PilePointer farGone = pile.It.Put(8L);
        Assert.True(IsFar(pile, far) && IsFar(pile, farGone));
        Assert.True(pile.It.Delete(gone));
        Assert.True(pile.It.Delete(farGone));

        // Extents 512 to 1023 are the table: nothing is there, and they are not counted.
        Assert.True(EntryWord.Location(pile.Core.Table.Read(far.Slot)) >= 2 * Limits.TableWordsWhole);
        Assert.Equal(bytes + Limits.ExtentBytes, pile.Core.Extents.Bytes);
        AssertRead(pile.It, near, 5);
        AssertRead(pile.It, far, 7);
        using (PileLease lease = pile.It.Lease(pointers[^1]))
        {
            Assert.Equal(8 << 10, lease.Bytes.Length);
        }

        foreach (PilePointer pointer in (PilePointer[])[near, far, gone, farGone])
        {
            AssertForgedIsRefused(pile.It, pointer);
        }

        AssertRefused(pile.It, gone.Word);
        AssertRefused(pile.It, farGone.Word);
        pile.AssertGood();
    }

    [Fact]
    public void APointerOfAnotherPileIsRefusedWhateverItsTag()
    {
        AddressSpace.SkipWithoutRoom();
        using var pile = new CheckedPile();
        PilePointer live = pile.It.Put(5L);
        PilePointer gone = pile.It.Put(6L);
        Assert.True(pile.It.Delete(gone));

        AssertForgedIsRefused(pile.It, live);
        AssertForgedIsRefused(pile.It, gone);
        AssertRead(pile.It, live, 5);
    }

    [Fact]
    public void APileWhoseTableIsElsewhereReadsItAnotherWay()
    {
        // Room for either, and not for both at once.
        using var pile = new CheckedPile(PileOptions.Tiny with { Regions = new NarrowRegions(Limits.TableBytesWhole) });
        Assert.Equal(default, pile.Core.Extents.Table);

        PilePointer pointer = pile.It.Put(5L);

        using (PileLease lease = pile.It.Lease(pointer))
        {
            Assert.Equal(5L, lease.Read<long>());
        }

        using PileReader reader = pile.It.BeginRead();
        Assert.False(ReadsAtOnce.TryRead(pile.It, pointer.Word, out _));
        Assert.Equal(5, BinaryPrimitives.ReadInt64LittleEndian(reader[pointer]));
    }

    [Fact]
    public void NothingIsReadAtOnceWhenDisposeHasBegun()
    {
        var pile = ObjectPile.Create(PileOptions.Tiny);
        PilePointer pointer = pile.Put(5L);
        pile.Dispose();

        Assert.False(ReadsAtOnce.TryRead(pile, pointer.Word, out ReadOnlySpan<byte> bytes));
        Assert.True(bytes.IsEmpty);
        for (int tag = 0; tag <= byte.MaxValue; tag++)
        {
            // The table of nobody's has nothing before it: a pointer that matches its entries must not lead there.
            foreach (uint generation in (uint[])[0, 1, EntryWord.GenerationMax])
            {
                Assert.False(ReadsAtOnce.TryRead(pile, PointerWord.Pack(pointer.Slot, (byte)tag, generation), out _));
            }
        }

        Assert.Throws<ObjectDisposedException>(() => pile.Lease(pointer).Dispose());
    }

    private static bool IsFar(CheckedPile pile, PilePointer pointer) => EntryWord.Location(pile.Core.Table.Read(pointer.Slot)) >= Limits.TableWordsWhole;

    private static long TakeAllBeforeTheTable(ExtentMap extents)
    {
        while (extents.Bytes < Limits.TableBytesWhole - Limits.ExtentBytes)
        {
            Assert.NotEqual(0, extents.TryMap(1, 0, Limits.ExtentShiftWords, out _));
        }

        return extents.Bytes;
    }

    private static void AssertRead(ObjectPile pile, PilePointer pointer, long value)
    {
        using (PileReader reader = pile.BeginRead())
        {
            Assert.True(ReadsAtOnce.TryRead(pile, pointer.Word, out ReadOnlySpan<byte> bytes));
            Assert.Equal(value, BinaryPrimitives.ReadInt64LittleEndian(bytes));
        }

        AssertLeasedAtOnce(pile, pointer, value, NotedFrames);
    }

    /// <summary>Leases at once, from a frame that has ones above it and below which the general way has leased. That way notes the page of the stack it stands on, the short
    /// one knows noted pages alone, and where a page ends between the two differs from run to run.</summary>
    private static void AssertLeasedAtOnce(ObjectPile pile, PilePointer pointer, long value, int frames)
    {
        // Half a page: with all that the calls below take, no frame is more than a page from the next.
        Span<byte> room = stackalloc byte[Limits.OsPageBytes / 2];
        room[frames] = 1;
        pile.Lease(pointer).Dispose();
        if (frames == 0)
        {
            return;
        }

        AssertLeasedAtOnce(pile, pointer, value, frames - 1);
        if (frames == NotedFrames / 2)
        {
            Assert.True(ReadsAtOnce.TryLease(pile, pointer.Word, out PileLease lease));
            Assert.Equal(value, lease.Read<long>());
            lease.Dispose();
        }

        Assert.Equal(1, room[frames]);
    }

    /// <summary>All tags but the pile's, with the pointer's generation and those beside it.</summary>
    private static void AssertForgedIsRefused(ObjectPile pile, PilePointer pointer)
    {
        for (int tag = 0; tag <= byte.MaxValue; tag++)
        {
            foreach (int step in (int[])[-1, 0, 1])
            {
                if (tag != pile.Tag || step != 0)
                {
                    AssertRefused(pile, PointerWord.Pack(pointer.Slot, (byte)tag, (uint)(pointer.Generation + step)));
                }
            }
        }
    }

    private static void AssertRefused(ObjectPile pile, ulong word)
    {
        using (pile.BeginRead())
        {
            Assert.False(ReadsAtOnce.TryRead(pile, word, out ReadOnlySpan<byte> bytes), $"{word:x16} was read");
            Assert.True(bytes.IsEmpty);
        }

        // Nothing is to be ended where none was granted.
        Assert.False(ReadsAtOnce.TryLease(pile, word, out _), $"{word:x16} was leased");
        Assert.False(pile.TryLease(new PilePointer(word), out PileLease lease), $"{word:x16} was leased by the general way");
        lease.Dispose();
    }
}
