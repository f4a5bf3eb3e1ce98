// When a segment is walked again: never while more than a quarter of what has an end has ended, however long others live.
using System;
using System.Linq;
using Pile.Cache.Entries;
using Pile.Cache.Eviction;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class EndsAheadTests
{
    private const long Second = TimeSpan.TicksPerSecond;

    [Fact]
    public void BeforeTheNextWalkAtMostAQuarterHasEndedAndTheFirstHas()
    {
        for (int seed = 0; seed < 500; seed++)
        {
            var random = new Random(seed);
            long now = random.NextInt64(DateTime.MaxValue.Ticks);
            long[] ends = [.. Enumerable.Range(0, random.Next(1, 400)).Select(_ => now + 1 + (long)Math.Pow(2, random.NextDouble() * random.Next(1, 61)))];
            long next = NextOf(now, ends);
            Assert.True(next >= ends.Min(), $"seed {seed}: nothing has ended");
            Assert.True(next == ends.Min() || next == now + CacheLimits.SweepTicksMin || ends.Count(end => end < next) * 4 <= ends.Length, $"seed {seed}: {ends.Count(end => end < next)} of {ends.Length} have ended");
        }
    }

    [Theory]
    [InlineData(300, 100)]
    [InlineData(10_000, 1)]
    public void WhenAQuarterWillHaveEndedItIsTime(int entries, long secondsApart)
    {
        long next = NextOf(0, [.. Enumerable.Range(1, entries).Select(number => number * secondsApart * Second)]);
        Assert.InRange(next / (entries * secondsApart * (double)Second), 0.25 * 0.8, 0.25);
    }

    [Fact]
    public void FewThatLiveLongDoNotHoldUpTheRest() =>
        Assert.InRange(NextOf(0, [.. Enumerable.Range(1, 990).Select(static number => number * Second), .. Enumerable.Repeat(TimeSpan.FromDays(3000).Ticks, 10)]), 200 * Second, 250 * Second);

    [Fact]
    public void OneThatIsLargeCountsByItsBytes() =>
        Assert.InRange(NextOf(0, [10 * Second, .. Enumerable.Repeat(TimeSpan.FromDays(30).Ticks, 99)], bytesOf: static end => end == 10 * Second ? 100_000 : 100), 10 * Second, 10 * Second);

    [Fact]
    public void AnEndThatSomebodyIsToldOfIsWaitedForAMinuteAtTheMost()
    {
        long[] ends = [10 * Second, .. Enumerable.Repeat(TimeSpan.FromDays(30).Ticks, 500)];
        Assert.True(NextOf(0, ends) > TimeSpan.FromDays(20).Ticks);
        Assert.Equal(60 * Second, NextOf(0, ends, isTold: true));
        Assert.Equal(TimeSpan.FromDays(30).Ticks, NextOf(0, ends[1..], isTold: true));
    }

    [Fact]
    public void WithoutAnEndThereIsNoNextWalk() => Assert.Equal(EntryTerms.Never, NextOf(0, []));

    private static long NextOf(long now, long[] ends, bool isTold = false, Func<long, long>? bytesOf = null)
    {
        var ahead = new EndsAhead(new long[EndsAhead.Parts], now);
        foreach (long end in ends)
        {
            ahead.Add(end, bytesOf?.Invoke(end) ?? 100, isTold);
        }

        return ahead.Next();
    }
}
