using System;
using System.Collections.Generic;
using Xunit;

namespace Pile.Tests;

public sealed class ObjectPileBatchesTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(15)]
    [InlineData(16)]
    [InlineData(17)]
    [InlineData(100)]
    public void EveryPointerOfABatchIsAnsweredInOrderStaleOnesInTheMiddleToo(int count)
    {
        using var pile = new CheckedPile();
        using var other = new CheckedPile();
        PilePointer[] pointers = new PilePointer[count];
        for (int index = 0; index < count; index++)
        {
            pointers[index] = index % 7 == 4 ? other.It.Put(index) : index % 5 == 3 ? pile.It.Put("text") : pile.It.Put(index);
            _ = index % 3 == 1 && pile.It.Delete(pointers[index]);
        }

        PileStatus[] statuses = new PileStatus[count];
        int[] numbers = new int[count];
        int read = pile.It.GetMany(pointers, numbers.AsSpan(), statuses);
        var visitor = new Collector([]);
        int found = pile.It.LeaseMany(pointers, ref visitor);

        int expectedRead = 0;
        int expectedFound = 0;
        for (int index = 0; index < count; index++)
        {
            PileStatus leased = index % 7 == 4 ? PileStatus.WrongPile : index % 3 == 1 ? PileStatus.Stale : PileStatus.Ok;
            PileStatus got = leased == PileStatus.Ok && index % 5 == 3 ? PileStatus.TypeMismatch : leased;
            Assert.Equal(got, statuses[index]);
            Assert.Equal(got == PileStatus.Ok ? index : 0, numbers[index]);
            Assert.Equal((index, leased, leased == PileStatus.Ok ? 4 : 0), visitor.Seen[index]);
            expectedRead += got == PileStatus.Ok ? 1 : 0;
            expectedFound += leased == PileStatus.Ok ? 1 : 0;
        }

        Assert.Equal((expectedRead, expectedFound, count), (read, found, visitor.Seen.Count));
        Assert.Equal(expectedRead, pile.It.GetMany(pointers, numbers.AsSpan()));
    }

    [Fact]
    public void SpansThatAreTooShortAreRefused()
    {
        using var pile = new CheckedPile();
        PilePointer[] pointers = new PilePointer[2];

        Assert.Throws<ArgumentException>(() => pile.It.GetMany(pointers, new int[1].AsSpan()));
        Assert.Throws<ArgumentException>(() => pile.It.GetMany(pointers, new int[2].AsSpan(), new PileStatus[1]));
    }

    /// <summary>Its fields, or its own code, can't take what is stored: no status says that.</summary>
    [Fact]
    public void AnObjectThatCantBeReadThrowsAndWhatStandsBehindItInABatchIsNotSet()
    {
        using var pile = new CheckedPile();
        PilePointer[] pointers = [pile.It.Put<HashSet<Fresh>>([]), pile.It.Put<HashSet<Fresh>>([new Fresh()]), pile.It.Put<HashSet<Fresh>>([])];
        HashSet<Fresh>?[] values = new HashSet<Fresh>?[3];
        PileStatus[] statuses = [PileStatus.Full, PileStatus.Full, PileStatus.Full];

        Assert.Throws<PileTypeMismatchException>(() => pile.It.GetMany(pointers, values.AsSpan(), statuses));
        Assert.Equal([PileStatus.Ok, PileStatus.Full, PileStatus.Full], statuses);
        Assert.NotNull(values[0]);
        Assert.Null(values[2]);
        Assert.Throws<PileTypeMismatchException>(() => pile.It.TryGet(pointers[1], out HashSet<Fresh>? _));
        Assert.Throws<PileTypeMismatchException>(() => pile.It.TryTake(pointers[1], out HashSet<Fresh>? _));
        Assert.True(pile.It.Delete(pointers[1]));
    }

    [Fact]
    public void AVisitorThatThrowsOrLeavesALeaseLeavesNothingHeld()
    {
        using var pile = new CheckedPile();
        PilePointer[] pointers = [pile.It.Put(1), pile.It.Put(2)];
        var thrower = new Thrower(pile.It, pointers[0]);

        Assert.Throws<InvalidTimeZoneException>(() => pile.It.LeaseMany(pointers, ref thrower));
        using PileLease lease = pile.It.Lease(pointers[0]);
        Assert.Throws<InvalidTimeZoneException>(() => pile.It.LeaseMany(pointers, ref thrower));
        Assert.Equal(1, lease.Read<int>());
    }

    [Fact]
    public void AVisitorMayReadAndWriteThePile()
    {
        using var pile = new CheckedPile();
        PilePointer[] pointers = [pile.It.Put(1), pile.It.Put(2), pile.It.Put(3)];
        var doubler = new Doubler(pile.It, pointers);

        Assert.Equal(3, pile.It.LeaseMany(pointers, ref doubler));
        Assert.Equal([2, 4, 6], [pile.It.Get<int>(pointers[0]), pile.It.Get<int>(pointers[1]), pile.It.Get<int>(pointers[2])]);
    }

    private readonly struct Collector(List<(int Index, PileStatus Status, int Length)> seen) : IPileVisitor
    {
        internal List<(int Index, PileStatus Status, int Length)> Seen => seen;

        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes) => seen.Add((index, status, bytes.Length));
    }

    private readonly struct Thrower(ObjectPile pile, PilePointer pointer) : IPileVisitor
    {
        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes)
        {
            _ = pile.Lease(pointer).Length;
            throw new InvalidTimeZoneException("planted");
        }
    }

    private readonly struct Doubler(ObjectPile pile, PilePointer[] pointers) : IPileVisitor
    {
        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes) =>
            pile.Update(pointers[index], 2 * pile.Get<int>(pointers[index]));
    }

    /// <summary>Has a hash code until it is stored.</summary>
    private sealed class Fresh
    {
        [NonSerialized]
        private readonly bool _isFresh = true;

        public override bool Equals(object? obj) => ReferenceEquals(this, obj);

        public override int GetHashCode() => _isFresh ? 1 : throw new InvalidTimeZoneException();
    }
}
