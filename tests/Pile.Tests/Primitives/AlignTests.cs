using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Primitives;

public sealed class AlignTests
{
    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(1, 8, 0)]
    [InlineData(7, 8, 0)]
    [InlineData(8, 8, 8)]
    [InlineData(9, 16, 8)]
    public void UpAndDownRoundToTheUnit(int bytes, int up, int down)
    {
        Assert.Equal(up, Align.Up(bytes, 8));
        Assert.Equal(up, Align.Up((long)bytes, 8L));
        Assert.Equal(down, Align.Down(bytes, 8L));
    }
}
