using System.Collections.Generic;
using System.Linq;
using Pile.Compare.Running;
using Xunit;

namespace Pile.Programs.Tests.Compare;

public sealed class RowResultTests
{
    [Fact]
    public void TheRatioIsTheMedianOfTheRatiosOfEachRound()
    {
        var spec = RowSpec.Faster("put", "put", "them", "put", 2, 10);

        RowResult row = RowResult.Of(spec, Rounds(10, 20, 40, 10, 10), Rounds(20, 200, 40, 90, 30));

        // 2, 10, 1, 9, 3: their median is not the 4 that the medians would give.
        Assert.Equal((3.0, 1.0, 10.0, 2.0, 9.0), (row.Ratio, row.Least, row.Most, row.LowerQuartile, row.UpperQuartile));
        Assert.Equal((10.0, 40.0, 3.0), (row.Ours, row.Theirs, row.RatioCpu));
        Assert.Equal(Verdicts.Met, row.Verdict);
    }

    [Fact]
    public void ASettingIsChosenByTheGeometricMean()
    {
        Assert.Equal(20, CompareCommand.GeometricMean([10, 40]), 6);
    }

    private static Measured[] Rounds(params IEnumerable<double> nanoseconds) =>
    [
        .. nanoseconds.Select(value => new Measured { WallNs = value, CpuNs = value, AllocatedBytes = 0, PauseMs = 0, Collections = 0, ResidentBytes = 0 }),
    ];
}
