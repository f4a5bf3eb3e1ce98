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
    public void ARunIsTakenFromItsLowestSlotAndCounted()
    {
        var stock = default(SlotStock);
        stock.SetRun(128, 0b1010_0001UL | (1UL << 63));
        stock.Push(7);

        Assert.Equal(5, stock.Count);
        Assert.Equal([128U, 133U, 135U, 191U], [stock.Take(), stock.Take(), stock.Take(), stock.Take()]);
        Assert.False(stock.HasRun);
        Assert.Equal(1, stock.Count);
        stock.SetRun(0, 2);
        stock.Clear();
        Assert.Equal(0, stock.Count);
        Assert.False(stock.HasRun);
    }
}
