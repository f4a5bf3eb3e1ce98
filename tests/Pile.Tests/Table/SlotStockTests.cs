using Pile.Primitives;
using Pile.Table;
using Xunit;

namespace Pile.Tests.Table;

public sealed class SlotStockTests
{
    [Fact]
    public void SlotsComeOutInTheOrderTheyWentInAcrossTheWrap()
    {
        var stock = default(SlotStock);
        uint next = 1;
        uint expected = 1;
        for (int round = 0; round < 10; round++)
        {
            while (!stock.IsFull)
            {
                stock.Push(next++);
            }

            Assert.Equal(Limits.SlotRingSlots, stock.Count);
            for (int step = 0; step < 300; step++)
            {
                Assert.True(stock.TryPop(out uint slot, ahead: 8, out uint later));
                Assert.Equal((expected, expected + 8), (slot, later));
                expected++;
            }
        }

        stock.Clear();
        Assert.Equal(0, stock.Count);
        Assert.False(stock.TryPop(out _, ahead: 8, out _));
    }

    [Fact]
    public void RunsAreTakenFromTheLowestSlotThenTheRing()
    {
        var stock = default(SlotStock);
        stock.Push(7);
        stock.SetRuns(128, [0, 0b1010_0001UL | (1UL << 63), 0, 1UL << 2]);
        stock.Push(9);

        Assert.Equal(7, stock.Count);
        Assert.Equal([192U, 197U, 199U, 255U], [stock.Take(), stock.Take(), stock.Take(), stock.Take()]);
        Assert.False(stock.HasRun);
        Assert.True(stock.TryNext(out _));
        Assert.Equal(322U, stock.Take());
        Assert.Equal(2, stock.Count);
        Assert.True(stock.TryNext(out _));
        Assert.Equal(7U, stock.Take());
        Assert.True(stock.TryNext(out _));
        Assert.Equal(9U, stock.Take());
        Assert.False(stock.TryNext(out _));
        stock.SetRuns(0, [2, 2]);
        stock.Clear();
        Assert.Equal(0, stock.Count);
        Assert.False(stock.HasRun || stock.TryNext(out _));
    }
}
