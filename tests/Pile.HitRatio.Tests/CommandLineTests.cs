using System;
using System.Collections.Generic;
using Pile.HitRatio.Contestants;
using Pile.HitRatio.Running;
using Pile.HitRatio.Traces;
using Xunit;

namespace Pile.HitRatio.Tests;

public sealed class CommandLineTests
{
    [Fact]
    public void OptionsReachTheRun()
    {
        HitRatioSettings seen = Seen("--traces loop,zipf-0.8 --trace a.csv --trace b.csv --sizes 0.5,0.02 --contestants lru,2q --requests 5000 --keys 9000 --seed 3 --charge 40 --json --out results");

        Assert.Equal(["loop", "zipf-0.8"], seen.Traces);
        Assert.Equal(["a.csv", "b.csv"], seen.TraceFiles);
        Assert.Equal([0.5, 0.02], seen.Sizes);
        Assert.Equal(["lru", "2q"], seen.Contestants);
        Assert.Equal((5000, 9000, 3, 40), (seen.Requests, seen.Keys, seen.Seed, seen.ChargeBytesUsed));
        Assert.True(seen.Json);
        Assert.Equal("results", seen.Out);
        Assert.False(seen.IsWhole);
        Assert.Equal("dotnet run -c Release --project bench/Pile.HitRatio -- --traces loop,zipf-0.8 --trace a.csv --trace b.csv --sizes 0.5,0.02 --contestants lru,2q --requests 5000 --keys 9000 --seed 3 --charge 40 --json --out results", seen.Command);
    }

    [Fact]
    public void WithoutOptionsItIsTheWholeOfIt()
    {
        HitRatioSettings seen = Seen("");

        Assert.Equal(TraceList.Names, seen.Traces);
        Assert.Equal([0.01, 0.1], seen.Sizes);
        Assert.Equal(Entries.All.Count, seen.Contestants.Count);
        Assert.Equal((10_000_000, 1_000_000), (seen.Requests, seen.Keys));
        Assert.True(seen.IsWhole);
        Assert.Equal("dotnet run -c Release --project bench/Pile.HitRatio", seen.Command);
    }

    [Theory]
    [InlineData("--quick")]
    [InlineData("--traces loop")]
    [InlineData("--trace a.csv")]
    [InlineData("--sizes 0.01")]
    [InlineData("--contestants lru")]
    [InlineData("--requests 1000")]
    [InlineData("--keys 5000")]
    [InlineData("--seed 1")]
    [InlineData("--charge 0")]
    public void APartDoesNotReplaceTheCommittedResult(string line) => Assert.False(Seen(line).IsWhole);

    [Fact]
    public void QuickIsSmallUnlessItIsSaidHowLarge()
    {
        Assert.Equal((200_000, 20_000), (Seen("--quick").Requests, Seen("--quick").Keys));
        Assert.Equal((1_000_000, 20_000), (Seen("--quick --requests 1000000").Requests, Seen("--quick --requests 1000000").Keys));
    }

    [Fact]
    public void ATraceFileAloneRunsWithoutTheGeneratedOnes() => Assert.Empty(Seen("--trace a.csv").Traces);

    [Theory]
    [InlineData("--requests 0", "--requests must lie between 1 and 100,000,000,000, not 0.")]
    [InlineData("--keys 4095", "--keys must lie between 4,096 and 1,000,000,000, not 4,095.")]
    [InlineData("--charge -1", "--charge must lie between 0 and 65,536, not -1.")]
    [InlineData("--requests many", "'many'")]
    [InlineData("--trace", "--trace")]
    [InlineData("--fast", "--fast")]
    public void ABadArgumentIsNamedWithWhatWouldBeRight(string line, string named) =>
        Assert.Contains(CommandLine.Build(static _ => 0).Parse(line).Errors, error => error.Message.Contains(named, StringComparison.Ordinal));

    [Theory]
    [InlineData("0", "--sizes wants parts above 0 and up to 1, as in 0.01,0.1, not '0'.")]
    [InlineData("1.1", "not '1.1'.")]
    [InlineData("0.1,ten", "not 'ten'.")]
    [InlineData("0.1,0.2,0.1", "--sizes names 0.1 twice.")]
    [InlineData(",", "--sizes wants at least one.")]
    public void SizesThatAreNoneAreRefused(string text, string message) =>
        Assert.EndsWith(message, Assert.Throws<ArgumentException>(() => HitRatioSettings.SizesOf("--sizes", text)).Message, StringComparison.Ordinal);

    [Fact]
    public void AnUnknownNameIsRefusedWithWhatThereIs() =>
        Assert.Equal("--contestants: there is no 'fifo'. There is: lru, 2q.", Assert.Throws<ArgumentException>(static () => HitRatioSettings.NamesOf("--contestants", "lru,fifo", ["lru", "2q"])).Message);

    private static HitRatioSettings Seen(string line)
    {
        List<HitRatioSettings> seen = [];
        Assert.Equal(0, CommandLine.Build(settings =>
        {
            seen.Add(settings);
            return 0;
        }).Parse(line).Invoke());
        return Assert.Single(seen);
    }
}
