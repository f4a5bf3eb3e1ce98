using System.Collections.Generic;
using System.Linq;

namespace Pile.Bench.Running;

/// <summary>A row on one clock: medians over the rounds, and the ratio as the median of the ratios of each round.</summary>
internal sealed class RowFigures
{
    internal RowFigures(Row row, IReadOnlyList<IReadOnlyDictionary<string, double>> rounds)
    {
        Ours = Quantile.Of(rounds.Select(row.Ours), 0.5);
        Theirs = Quantile.Of(rounds.Select(row.Theirs), 0.5);
        double[] ratios = [.. rounds.Select(samples => row.Ratio == Running.Ratio.OursOverTheirs
            ? row.Ours(samples) / row.Theirs(samples)
            : row.Theirs(samples) / row.Ours(samples))];
        Ratio = Quantile.Of(ratios, 0.5);
        LowerQuartile = Quantile.Of(ratios, 0.25);
        UpperQuartile = Quantile.Of(ratios, 0.75);
        Least = ratios.Min();
        Most = ratios.Max();
        Verdict = row.Must is null && row.Reach is null ? "-"
            : row.Meets(row.Reach, Ratio) ? "reached"
            : row.Meets(row.Must, Ratio) ? "met"
            : "MISSED";
    }

    public double Ours { get; }

    public double Theirs { get; }

    public double Ratio { get; }

    public double LowerQuartile { get; }

    public double UpperQuartile { get; }

    public double Least { get; }

    public double Most { get; }

    /// <summary>What the bars say of the ratio.</summary>
    public string Verdict { get; }
}
