using System;
using Pile.Compare.Reports;
using Pile.Compare.Running;
using Xunit;

namespace Pile.Programs.Tests.Compare;

public sealed class MarkdownTests
{
    private static readonly RowResult _row = new()
    {
        Name = "Put vs them",
        Contestant = "them",
        Ours = 12.345,
        Theirs = 98.76,
        Unit = "ns",
        Ratio = 8,
        LowerQuartile = 7.5,
        UpperQuartile = 9,
        Least = 7,
        Most = 10,
        RatioCpu = 8.5,
        Must = 2.5,
        Reach = 20,
        Verdict = Verdicts.Met,
    };

    [Fact]
    public void ARowShowsFiguresSpreadAndBars()
    {
        Assert.Equal(
            ["Put vs them", "12.3", "98.8", "ns", "8.00", "7.50..9.00", "7.00..10.0", "8.50", ">= 2.5", ">= 20", "met"],
            Markdown.Cells(_row));
    }

    [Fact]
    public void ARowOfOursAloneLeavesCellsEmpty()
    {
        RowResult alone = new() { Name = "string[32]", Contestant = "", Ours = 200, Unit = "ns", Verdict = "runs" };

        Assert.Equal(["string[32]", "200", "", "ns", "", "", "", "", "", "", "runs"], Markdown.Cells(alone));
    }

    [Fact]
    public void ABarThatIsAnUpperOneSaysSo()
    {
        Assert.Equal("<= 2.5", Markdown.Cells(_row with { AtMost = true })[8]);
    }

    [Fact]
    public void ATableHasALineForEachRow()
    {
        string table = Markdown.Table(["a", "b"], 1, [["1", "2"], ["3", "4"]]);

        Assert.Equal("| a | b |\n|---|---:|\n| 1 | 2 |\n| 3 | 4 |\n", table);
    }

    [Fact]
    public void TooLittleMemorySaysHowManyFit()
    {
        ArgumentException fault = Assert.Throws<ArgumentException>(() => MemoryNeed.Check(10_000_000, 5L << 30));

        Assert.Contains("10,000,000 objects need about 17.1 GB", fault.Message, StringComparison.Ordinal);
        Assert.Contains("--objects 2684000 fits", fault.Message, StringComparison.Ordinal);
        MemoryNeed.Check(2_684_000, 5L << 30);
    }
}
