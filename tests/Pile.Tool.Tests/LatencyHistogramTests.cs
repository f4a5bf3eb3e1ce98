using System;
using System.Linq;
using Pile.Tool.Measuring;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Percentiles of counted times, against those of the sorted times.</summary>
public sealed class LatencyHistogramTests
{
    [Fact]
    public void OfNoTimesAllAreZero()
    {
        var none = new LatencyHistogram();
        Assert.Equal((0, 0, 0), (none.WithinNs(0), none.WithinNs(1), none.MostNs));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void PercentilesAreRightToASixtyFourth(int seed)
    {
        var random = new Random(seed);
        long[] times = [.. Enumerable.Range(0, 10_000).Select(_ => random.NextInt64(1L << random.Next(1, 50))), 0, 63, 64, 127, 128, long.MaxValue];
        LatencyHistogram[] parts = [new(), new()];
        for (int index = 0; index < times.Length; index++)
        {
            parts[index % 2].Add(times[index]);
        }

        parts[0].Add(parts[1]);
        Array.Sort(times);
        foreach (double share in (double[])[0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1])
        {
            long exact = times[(int)Math.Ceiling(times.Length * share) - 1];
            long told = parts[0].WithinNs(share);
            Assert.True(told >= exact && told - exact <= exact / 64, $"{share}: {told} for {exact}");
        }

        Assert.Equal(long.MaxValue, parts[0].MostNs);
    }
}
