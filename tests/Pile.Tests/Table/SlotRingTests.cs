using Pile.Primitives;
using Pile.Table;
using Xunit;

namespace Pile.Tests.Table;

public sealed class SlotRingTests
{
    [Fact]
    public void SlotsComeOutInTheOrderTheyWentInAcrossTheWrap()
    {
        var ring = new SlotRing();
        uint next = 1;
        uint expected = 1;
        for (int round = 0; round < 10; round++)
        {
            while (!ring.IsFull)
            {
                ring.Push(next++);
            }

            Assert.Equal(Limits.SlotRingSlots, ring.Count);
            Assert.Equal(expected + 8, ring.Ahead(8));
            for (int step = 0; step < 300; step++)
            {
                Assert.Equal(expected++, ring.Pop());
            }
        }

        ring.Clear();
        Assert.Equal(0, ring.Count);
    }
}
