using System;
using System.Collections.Generic;
using System.Linq;
using Pile.HitRatio.Traces;
using Xunit;

namespace Pile.HitRatio.Tests;

public sealed class GeneratedTraceTests
{
    private const int Keys = 20_000;

    public static TheoryData<string> Names => [.. TraceList.Names];

    [Theory]
    [MemberData(nameof(Names))]
    public void ATraceIsTheSameEachTimeAndForEachBatch(string name)
    {
        ITrace trace = TraceList.Of(name, Keys, 10_000, 7);

        List<Request> once = ReadAll(trace, 4096);

        Assert.Equal(10_000, once.Count);
        Assert.Equal(once, ReadAll(trace, 777));
        Assert.Equal(once, ReadAll(TraceList.Of(name, Keys, 10_000, 7), 1));
        Assert.Equal(Enumerable.Range(0, 10_000), once.Select(static request => (int)request.Time));
        Assert.NotEqual(once, ReadAll(TraceList.Of(name, Keys, 10_000, 8), 4096));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void AKeyHasOneSizeAndNoTraceHasMoreKeysThanItShould(string name)
    {
        List<Request> all = ReadAll(TraceList.Of(name, Keys, 200_000, 7), 4096);

        Assert.InRange(all.Select(static request => request.Key).Distinct().Count(), Keys / 4, Keys);
        Assert.Equal(all.Select(static request => request.Key).Distinct().Count(), all.Select(static request => (request.Key, request.Bytes)).Distinct().Count());
    }

    [Theory]
    [InlineData(1, 1.0)]
    [InlineData(2, 0.8)]
    [InlineData(40, 0.6)]
    [InlineData(40, 0.8)]
    [InlineData(40, 1.0)]
    [InlineData(40, 1.2)]
    [InlineData(40, 2.5)]
    public void RanksComeAsOftenAsTheirWeightSays(int ranks, double exponent)
    {
        const int Draws = 400_000;
        var sampler = new ZipfSampler(ranks, exponent);
        var random = new SplitMix(1);
        int[] counts = new int[ranks];
        for (int draw = 0; draw < Draws; draw++)
        {
            counts[sampler.Next(random) - 1]++;
        }

        double total = Enumerable.Range(1, ranks).Sum(rank => Math.Pow(rank, -exponent));
        double chiSquare = counts.Select((count, index) => (count, Expected: Draws * Math.Pow(index + 1, -exponent) / total)).Sum(static one => (one.count - one.Expected) * (one.count - one.Expected) / one.Expected);

        // Of 39 degrees of freedom only one draw in a thousand is above; the seed is fixed.
        Assert.InRange(chiSquare, 0, 72.1);
    }

    [Fact]
    public void TheFirstOfAMillionRanksComesAsOftenAsItShould()
    {
        const int Draws = 1_000_000;
        var sampler = new ZipfSampler(1_000_000, 1.0);
        var random = new SplitMix(1);
        int first = 0;
        for (int draw = 0; draw < Draws; draw++)
        {
            first += sampler.Next(random) == 1 ? 1 : 0;
        }

        // 1 / 14.3927, the harmonic number of a million, by four standard deviations of the count.
        Assert.InRange(first, 69_480 - 1_020, 69_480 + 1_020);
    }

    [Fact]
    public void AScanGoesThroughKeysThatZipfNeverDraws()
    {
        var keys = new ScanKeys(200, 1.0, 3);
        long[] drawn = [.. Enumerable.Range(0, 330).Select(_ => keys.Next())];

        Assert.All(Enumerable.Range(0, 330).Where(static index => index % 30 < 20), index => Assert.InRange(drawn[index], 0, 99));
        Assert.Equal(Enumerable.Range(0, 110).Select(static index => 100L + (index % 100)), drawn.Where(static (_, index) => index % 30 >= 20));
    }

    [Fact]
    public void EachLoopGoesRoundInOrder()
    {
        const int LoopKeysAll = 1 << LoopKeys.Loops;
        var keys = new LoopKeys(LoopKeysAll, 3);
        long[] drawn = [.. Enumerable.Range(0, 60_000).Select(_ => keys.Next())];

        long first = 0;
        for (int loop = 1; loop <= LoopKeys.Loops; loop++)
        {
            long count = LoopKeysAll >> loop;
            long[] ofLoop = [.. drawn.Where(key => key >= first && key < first + count)];
            Assert.InRange(ofLoop.Length, 60_000 / LoopKeys.Loops * 9 / 10, 60_000 / LoopKeys.Loops * 11 / 10);
            Assert.Equal(ofLoop.Select((_, index) => first + (index % count)), ofLoop);
            first += count;
        }

        Assert.Equal(LoopKeysAll - 1, first);
    }

    [Fact]
    public void MixedSizesHaveAHeavyTailWithinTheirBounds()
    {
        int[] sizes = [.. Enumerable.Range(1, 100_000).Select(static key => ValueSizes.Mixed(SplitMix.Mix((ulong)key))).Order()];

        Assert.Equal(ValueSizes.MixedBytesMin, sizes[0]);
        Assert.Equal(ValueSizes.MixedBytesMax, sizes[^1]);
        Assert.InRange(sizes[sizes.Length / 2], 90, 98);
        Assert.True(sizes[^1000..].Sum(static size => (long)size) > sizes.Sum(static size => (long)size) / 4);
    }

    [Fact]
    public void AnUnknownNameIsRefusedWithWhatThereIs() =>
        Assert.Contains("zipf-0.6, zipf-0.8, zipf-1.0, zipf-1.2, scan-zipf, loop, mixed-sizes", Assert.Throws<ArgumentException>(static () => TraceList.Of("zipf-3.0", Keys, 1, 1)).Message, StringComparison.Ordinal);

    private static List<Request> ReadAll(ITrace trace, int atOnce)
    {
        List<Request> all = [];
        Request[] some = new Request[atOnce];
        using ITraceReader reader = trace.Open();
        for (int count = reader.Read(some); count > 0; count = reader.Read(some))
        {
            all.AddRange(some.AsSpan(0, count));
        }

        return all;
    }
}
