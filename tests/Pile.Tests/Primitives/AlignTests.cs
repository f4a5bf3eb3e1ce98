using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Primitives;

public sealed class AlignTests
{
    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 8)]
    [InlineData(7, 8)]
    [InlineData(8, 8)]
    [InlineData(9, 16)]
    public void UpRoundsToTheUnit(int bytes, int up)
    {
        Assert.Equal(up, Align.Up(bytes, 8));
        Assert.Equal(up, Align.Up((long)bytes, 8L));
    }
}
