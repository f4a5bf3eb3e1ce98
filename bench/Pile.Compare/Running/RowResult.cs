using System.Collections.Generic;
using System.Linq;
using Pile.Bench.Running;

namespace Pile.Compare.Running;

/// <summary>A row with its figures. The ratio is the median of the ratios of each round, not the ratio of the medians.</summary>
internal sealed record RowResult
{
    public required string Name { get; init; }

    public required string Contestant { get; init; }

    /// <summary>Our median.</summary>
    public required double Ours { get; init; }

    /// <summary>Their median; like the ratio it is missing where only ours ran.</summary>
    public double? Theirs { get; init; }

    public required string Unit { get; init; }

    public double? Ratio { get; init; }

    public double? LowerQuartile { get; init; }

    public double? UpperQuartile { get; init; }

    public double? Least { get; init; }

    public double? Most { get; init; }

    /// <summary>The same by processor time, where that was measured.</summary>
    public double? RatioCpu { get; init; }

    public double? Must { get; init; }

    public double? Reach { get; init; }

    /// <summary>Whether the ratio should be at most (else at least) the bars.</summary>
    public bool AtMost { get; init; }

    /// <summary>What the bars say.</summary>
    public required string Verdict { get; init; }

    /// <summary>A row of two series of times, one a round: theirs over ours.</summary>
    internal static RowResult Of(RowSpec spec, IReadOnlyList<Measured> ours, IReadOnlyList<Measured> theirs)
    {
        double[] ratios = [.. ours.Zip(theirs, (our, their) => their.WallNs / our.WallNs)];
        double ratio = Quantile.Of(ratios, 0.5);
        return new RowResult
        {
            Name = spec.Name,
            Contestant = spec.Contestant,
            Ours = Quantile.Of(ours.Select(round => round.WallNs), 0.5),
            Theirs = Quantile.Of(theirs.Select(round => round.WallNs), 0.5),
            Unit = "ns",
            Ratio = ratio,
            LowerQuartile = Quantile.Of(ratios, 0.25),
            UpperQuartile = Quantile.Of(ratios, 0.75),
            Least = ratios.Min(),
            Most = ratios.Max(),
            RatioCpu = Quantile.Of(ours.Zip(theirs, (our, their) => their.CpuNs / our.CpuNs), 0.5),
            Must = spec.Must,
            Reach = spec.Reach,
            Verdict = Verdicts.Of(ratio, spec.Must, spec.Reach, atMost: false),
        };
    }
}
