using System;
using Xunit;

namespace Pile.Tests.Epochs;

[Collection(Alone.Name)]
public sealed class EpochLineTests
{
    [Fact]
    public void ALeaseDisposedTwiceThrowsAndReleasesNothingOfAnother()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutString("kept");
        PileLease first = pile.It.Lease(pointer);
        first.Dispose();
        using PileLease second = pile.It.Lease(pointer);

        Assert.Equal(nameof(InvalidOperationException), Failure(ref first));
        Assert.Equal(1, pile.Statistics.ThreadsInside);
        Assert.Equal("kept"u8.ToArray(), second.Bytes.ToArray());
    }

    [Fact]
    public void ACopyOfADisposedLeaseThrowsAndReleasesNothing()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutString("kept");
        PileLease outer = pile.It.Lease(pointer);
        PileLease inner = pile.It.Lease(pointer);
        PileLease copy = inner;
        inner.Dispose();

        Assert.Equal(nameof(InvalidOperationException), Failure(ref copy));
        Assert.Equal(1, pile.Statistics.ThreadsInside);
        outer.Dispose();
        Assert.Equal(0, pile.Statistics.ThreadsInside);
        Assert.Equal(nameof(InvalidOperationException), Failure(ref outer));
    }

    [Fact]
    public void LeasesDisposedOutOfOrderThrowAndAreStillHeld()
    {
        using var pile = new CheckedPile();
        PilePointer pointer = pile.It.PutString("kept");
        PileLease outer = pile.It.Lease(pointer);
        PileLease middle = pile.It.Lease(pointer);
        PileLease inner = pile.It.Lease(pointer);

        Assert.Equal(nameof(InvalidOperationException), Failure(ref outer));
        Assert.Equal(nameof(InvalidOperationException), Failure(ref middle));
        inner.Dispose();
        Assert.Equal(nameof(InvalidOperationException), Failure(ref outer));
        middle.Dispose();
        Assert.Equal(1, pile.Statistics.ThreadsInside);
        outer.Dispose();
        Assert.Equal(0, pile.Statistics.ThreadsInside);
    }

    [Fact]
    public void TwentyNestedLeasesOfTwoPilesEndInReverseOrder()
    {
        using var one = new CheckedPile();
        using var two = new CheckedPile();
        Nest(one.It, one.It.PutString("one"), two.It, two.It.PutString("two"), 20);

        Assert.Equal(0, one.Statistics.ThreadsInside);
        Assert.Equal(0, two.Statistics.ThreadsInside);
    }

    [Fact]
    public void ALeaseThatWasNotGrantedLeavesTheOuterOneHeld()
    {
        using var one = new CheckedPile();
        using var two = new CheckedPile();
        PilePointer pointer = one.It.PutString("one");
        using (one.It.Lease(pointer))
        {
            Assert.False(two.It.TryLease(pointer, out PileLease none));
            none.Dispose();
            Assert.Equal(1, one.Statistics.ThreadsInside);
            Assert.Equal(0, two.Statistics.ThreadsInside);
        }

        Assert.Equal(0, one.Statistics.ThreadsInside);
    }

    private static void Nest(ObjectPile one, PilePointer a, ObjectPile two, PilePointer b, int depth)
    {
        if (depth == 0)
        {
            Assert.Equal(1, one.GetStatistics().ThreadsInside);
            Assert.Equal(1, two.GetStatistics().ThreadsInside);
            return;
        }

        using PileLease lease = one.Lease(a);
        Nest(two, b, one, a, depth - 1);
    }

    private static string Failure(ref PileLease lease)
    {
        try
        {
            lease.Dispose();
            return "none";
        }
        catch (InvalidOperationException failure)
        {
            Assert.Contains("Nothing was released", failure.Message, StringComparison.Ordinal);
            return nameof(InvalidOperationException);
        }
    }
}
