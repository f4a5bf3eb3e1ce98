using System;
using System.Buffers.Binary;
using Pile.Memory;
using Pile.Primitives;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests;

public sealed class ReadsAtOnceTests
{
    [Fact]
    public void ATableStandsInFrontOfTheFlatSpaceInOneReservation()
    {
        Assert.SkipUnless(RegionProvider.Default.ReservesFreely, "memory is charged for where it is reserved");
        using var pile = new CheckedPile();
        Region front = pile.Core.Extents.Front;

        Assert.Equal(Limits.TableBytesWhole, front.Bytes);
        Assert.Equal(front.Address, pile.Core.Table.Region.Address);
        Assert.Equal(front.Address + (nint)front.Bytes, pile.Core.Extents.Space.AddressOf(0));
        PilePointer pointer = pile.It.Put(5L);
        using PileReader reader = pile.It.BeginRead();
        Assert.True(ReadsAtOnce.TryRead(pile.It, pointer.Word, out ReadOnlySpan<byte> bytes));
        Assert.Equal(5, BinaryPrimitives.ReadInt64LittleEndian(bytes));
    }

    [Fact]
    public void APileWhoseTableIsElsewhereReadsItAnotherWay()
    {
        // Room for either, and not for both at once.
        using var pile = new CheckedPile(PileOptions.Tiny with { Regions = new NarrowRegions(Limits.TableBytesWhole) });
        Assert.Equal(default, pile.Core.Extents.Front);

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
        Assert.Throws<ObjectDisposedException>(() => pile.Lease(pointer).Dispose());
    }
}
