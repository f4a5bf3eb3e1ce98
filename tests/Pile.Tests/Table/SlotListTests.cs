using System;
using System.Linq;
using Pile.Table;
using Xunit;

namespace Pile.Tests.Table;

public sealed class SlotListTests
{
    [Fact]
    public void WhatIsAddedIsThereInItsOrderUntilItIsCleared()
    {
        var one = new SlotList();
        var other = new SlotList();
        for (uint slot = 1; slot <= 100; slot++)
        {
            (slot <= 30 ? one : other).Add(slot);
        }

        one.Add(other);
        Assert.Equal(Enumerable.Range(1, 100).Select(static slot => (uint)slot), Enumerable.Range(0, one.Count).Select(index => one[index]));
        Assert.True(one.Contains(100));
        Assert.False(one.Contains(101));

        one.Clear();
        Assert.Equal(0, one.Count);
        Assert.False(one.Contains(1));
    }

    [Fact]
    public void WhatThereIsRoomForIsAddedWithoutMemory()
    {
        var slots = new SlotList();
        slots.Add(1);
        slots.Reserve(1_000);
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (uint slot = 2; slot <= 1_001; slot++)
        {
            slots.Add(slot);
        }

        Assert.Equal((before, 1_001), (GC.GetAllocatedBytesForCurrentThread(), slots.Count));
    }
}
