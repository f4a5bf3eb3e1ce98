using System;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests;

public sealed class PileReservationTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(1000)]
    [InlineData(3_000_000)]
    public void AReservationIsZeroAtFirstAndStoresWhatItWasFilledWith(int bytes)
    {
        using var pile = new CheckedPile();
        for (int round = 1; round <= 2; round++)
        {
            using PileReservation reservation = pile.It.Reserve(bytes);
            Assert.Equal(bytes, reservation.Span.Length);
            Assert.False(reservation.Span.ContainsAnyExcept((byte)0));
            reservation.Span.Fill((byte)round);
            using PileLease lease = pile.It.Lease(reservation.Commit());
            Assert.Equal(bytes, lease.Length);
            Assert.False(lease.Bytes.ContainsAnyExcept((byte)round));
        }
    }

    [Fact]
    public void AReservationWithoutACommitStoresNothing()
    {
        using var pile = new CheckedPile();
        pile.It.Reserve(100).Dispose();

        Assert.Equal(0, pile.Statistics.Objects);
    }

    [Fact]
    public void ASecondCommitOfTheSameOrACopyThrows()
    {
        using var pile = new CheckedPile();
        using PileReservation reservation = pile.It.Reserve(8);
        PileReservation copy = reservation;
        reservation.Commit();

        Assert.True(CommitFails(reservation));
        Assert.True(CommitFails(copy));
        Assert.True(CommitFails(default));
        Assert.Equal(1, pile.Statistics.Objects);
    }

    [Fact]
    public void ACopyDisposedTwiceLeavesALaterReservationAlone()
    {
        using var pile = new CheckedPile();
        PileReservation first = pile.It.Reserve(8);
        PileReservation copy = first;
        first.Dispose();
        using PileReservation second = pile.It.Reserve(8);
        second.Span.Fill(5);

        copy.Dispose();
        first.Dispose();
        Assert.True(CommitFails(copy));

        Assert.Equal([5, 5, 5, 5, 5, 5, 5, 5], pile.It.Get<byte[]>(second.Commit()));
    }

    [Fact]
    public void ALengthOutOfRangeIsRefused()
    {
        using var pile = new CheckedPile();

        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.Reserve(-1).Dispose());
        Assert.Throws<ArgumentOutOfRangeException>(() => pile.It.Reserve(Limits.PayloadBytesMax + 1).Dispose());
    }

    private static bool CommitFails(PileReservation reservation)
    {
        try
        {
            reservation.Commit();
            return false;
        }
        catch (InvalidOperationException)
        {
            return true;
        }
    }
}
