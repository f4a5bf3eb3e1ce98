using System.Collections.Generic;
using System.Linq;

namespace Pile.Bench.Running;

/// <summary>A row with its figures: medians over the rounds, and the ratio as the median of the ratios of each round.</summary>
internal sealed class RowResult
{
    internal RowResult(string workload, Row row, IReadOnlyList<Samples> rounds)
    {
        Workload = workload;
        Row = row;
        Ours = Quantile.Of(rounds.Select(row.Ours), 0.5);
        Theirs = Quantile.Of(rounds.Select(row.Theirs), 0.5);
        double[] ratios = [.. rounds.Select(samples => row.Ratio == Ratio.OursOverTheirs
            ? row.Ours(samples) / row.Theirs(samples)
            : row.Theirs(samples) / row.Ours(samples))];
        Median = Quantile.Of(ratios, 0.5);
        Low = Quantile.Of(ratios, 0.25);
        High = Quantile.Of(ratios, 0.75);
        Least = ratios.Min();
        Most = ratios.Max();
    }

    public string Workload { get; }

    public Row Row { get; }

    public double Ours { get; }

    public double Theirs { get; }

    /// <summary>Median of the ratios.</summary>
    public double Median { get; }

    /// <summary>Lower quartile of the ratios.</summary>
    public double Low { get; }

    /// <summary>Upper quartile of the ratios.</summary>
    public double High { get; }

    public double Least { get; }

    public double Most { get; }

    /// <summary>What the bars say of the median.</summary>
    public string Verdict =>
        Row.Must is null && Row.Reach is null ? "-"
        : Meets(Row.Reach ?? Row.Must) ? (Row.Reach is null ? "met" : "reached")
        : Meets(Row.Must) ? "met"
        : "MISSED";

    private bool Meets(double? bar) => bar is { } value && (Row.AtMost ? Median <= value : Median >= value);
}
