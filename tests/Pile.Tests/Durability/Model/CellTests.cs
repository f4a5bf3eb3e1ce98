using System;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Durability.Model;

[Trait("Category", "Unit")]
public sealed class CellTests
{
    [Fact]
    public void ACutLeavesWhatWasSyncedOrAnyStoreSince()
    {
        Assert.Equal([1, 2, 3], ReadAfter(Stored));
        Assert.Equal([3], ReadAfter(static cell =>
        {
            Stored(cell);
            cell.Sync();
        }));
    }

    [Fact]
    public void AStoreOfAnEarlierValueLeavesTheSameAfterACut()
    {
        Assert.Equal([1, 2, 3], ReadAfter(static cell =>
        {
            Stored(cell);
            cell.Store(2);
        }));
    }

    [Fact]
    public void ASyncAfterAFailedOneLeavesWhatTheFailedOneLeftUntilThePageIsDirtiedAnew()
    {
        Assert.Equal([1, 2, 3], ReadAfter(static cell => SyncTwice(cell, isDirtied: false)));
        Assert.Equal([3], ReadAfter(static cell => SyncTwice(cell, isDirtied: true)));
    }

    [Fact]
    public void WhatWasReadAfterACutStaysAndAStoreUponTheUnreadKeepsItPossible()
    {
        Assert.Equal([1, 2, 3, 9], ReadAfter(static cell =>
        {
            Stored(cell);
            cell.Lose();
            cell.Store(9);
        }));

        var read = new Cell();
        Stored(read);
        read.Lose();
        ulong first = read.Read(new Chooser());
        read.Lose();
        Assert.Equal(first, read.Read(new Chooser()));
        Assert.False(read.IsDirty);
    }

    [Fact]
    public void HalfOfWhatIsStoredNextBecomesPossible()
    {
        Assert.Equal([1, 2, 3, 7], ReadAfter(static cell =>
        {
            Stored(cell);
            cell.MayHold(7);
            Assert.Equal(3UL, cell.Now);
        }));
    }

    [Fact]
    public void ValuesThatNobodyTellsApartBecomeOne()
    {
        Assert.Equal([0, 3], ReadAfter(static cell =>
        {
            Stored(cell);
            cell.Map(3UL, static (kept, value) => value == kept ? value : 0);
            Assert.Equal(3UL, cell.Now);
        }));
    }

    private static void Stored(Cell cell)
    {
        cell.Store(1);
        cell.Sync();
        cell.Store(2);
        cell.Store(3);
    }

    private static void SyncTwice(Cell cell, bool isDirtied)
    {
        Stored(cell);
        cell.FailSync();
        if (isDirtied)
        {
            cell.Dirty();
        }

        cell.Sync();
    }

    /// <summary>Everything that a reader may find after a cut.</summary>
    private static ulong[] ReadAfter(Action<Cell> action)
    {
        var found = new List<ulong>();
        var chooser = new Chooser();
        do
        {
            var cell = new Cell();
            action(cell);
            cell.Lose();
            found.Add(cell.Read(chooser));
        }
        while (chooser.MoveNext());

        return [.. found.Order()];
    }
}
