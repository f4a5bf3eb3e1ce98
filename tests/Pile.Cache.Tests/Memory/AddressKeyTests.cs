using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests.Memory;

/// <summary>Keys that hold an address.</summary>
public sealed class AddressKeyTests
{
    [Fact]
    public unsafe void AnAddressInAKeyCounts()
    {
        // SAFETY: the addresses are numbers that nobody dereferences.
        using TinyCache tiny = new();
        PileTable<Pointing, int> table = tiny.Table<Pointing, int>();
        table.Set(new Pointing { Address = (int*)8 }, 1);

        Assert.True(table.ContainsKey(new Pointing { Address = (int*)8 }));
        Assert.False(table.ContainsKey(new Pointing { Address = (int*)16 }));
    }

    // SAFETY: nobody dereferences it.
    private unsafe struct Pointing
    {
        public int* Address;
    }
}
