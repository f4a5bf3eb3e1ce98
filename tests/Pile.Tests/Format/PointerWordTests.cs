using Pile.Format;
using Xunit;

namespace Pile.Tests.Format;

public sealed class PointerWordTests
{
    [Theory]
    [InlineData(1u, 2, 3u, 0x0000_0302_0000_0001UL)]
    [InlineData(uint.MaxValue, 255, EntryWord.GenerationMax, ulong.MaxValue)]
    [InlineData(0u, 0, 0u, 0UL)]
    public void AWordPacksAndYieldsItsParts(uint slot, byte tag, uint generation, ulong word)
    {
        Assert.Equal(word, PointerWord.Pack(slot, tag, generation));
        Assert.Equal(slot, PointerWord.Slot(word));
        Assert.Equal(tag, PointerWord.Tag(word));
        Assert.Equal(generation, PointerWord.Generation(word));
    }

    [Fact]
    public void APointerHasTheOneTagThatItWasPackedWith()
    {
        for (int tag = 0; tag <= byte.MaxValue; tag++)
        {
            ulong word = PointerWord.Pack(uint.MaxValue, (byte)tag, EntryWord.GenerationMax);
            for (int other = 0; other <= byte.MaxValue; other++)
            {
                Assert.Equal(other == tag, PointerWord.HasTag(word, PointerWord.NearTag((byte)other)));
            }
        }
    }
}
