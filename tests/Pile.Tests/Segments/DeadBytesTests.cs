using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

public sealed class DeadBytesTests
{
    [Fact]
    public void CountsOfSegmentsFarApartAreKeptApartAndSummed()
    {
        var dead = new DeadBytes();
        int[] segments = [0, 1, 1023, 1024, 5000, 1_000_000];

        foreach (int segment in segments)
        {
            dead.Add(segment, segment + 8);
            dead.Add(segment, 8);
        }

        long total = 0;
        foreach (int segment in segments)
        {
            Assert.Equal(segment + 16, dead.Of(segment));
            total += segment + 16;
        }

        Assert.Equal(total, dead.TotalBytes);
        Assert.Equal(0, dead.Of(2));
        Assert.Equal(0, dead.Of(2_000_000));
    }

    [Fact]
    public void ResetForgetsOneSegmentAndKeepsTheTotal()
    {
        var dead = new DeadBytes();
        dead.Add(3, 100);
        dead.Add(4, 50);

        dead.Reset(3);
        dead.Reset(100_000);

        Assert.Equal(0, dead.Of(3));
        Assert.Equal(50, dead.Of(4));
        Assert.Equal(150, dead.TotalBytes);
    }
}
