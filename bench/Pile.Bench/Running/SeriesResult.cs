using System.Collections.Generic;
using System.Linq;

namespace Pile.Bench.Running;

/// <summary>One series of a workload: its figure in each round.</summary>
internal sealed record SeriesResult(string Workload, string Series, double Median, IReadOnlyList<double> Rounds)
{
    internal static IEnumerable<SeriesResult> Of(string workload, IReadOnlyList<Samples> rounds) =>
        rounds[0].Values.Keys.Select(name => new SeriesResult(
            workload, name, Quantile.Of(rounds.Select(samples => samples[name]), 0.5), [.. rounds.Select(samples => samples[name])]));
}
