using System.Collections.Generic;
using Pile.Memory;
using Pile.Tests.Memory;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>A pile in memory whose objects have other sizes in each phase of its life, on a machine with little more memory than its limit.</summary>
public sealed class ChangingSizesTests
{
    [Fact]
    public void ThereIsAddressSpaceForEachSize()
    {
        Assert.SkipUnless(RegionProvider.Default.ReservesFreely, "address space is charged for");
        using ObjectPile pile = ObjectPile.Create(new PileOptions { MemoryLimitBytes = 768 << 20, BackgroundCleaning = false, Regions = new SmallMachine(1L << 30) });
        foreach (int bytes in new[] { 20_000, 70_000_000, 140_000_000, 200, 70_000_000 })
        {
            List<PilePointer> pointers = [];
            for (int index = 0; index < int.Min(30_000, (600 << 20) / bytes); index++)
            {
                pointers.Add(pile.PutBytes(new byte[bytes]));
            }

            Assert.All(pointers, pointer => Assert.True(pile.Delete(pointer)));
        }
    }
}
