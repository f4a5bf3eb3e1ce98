using System.Collections.Generic;
using System.Linq;

namespace Pile.Bench.Running;

/// <summary>One series of a workload: nanoseconds per operation in each round, on both clocks.</summary>
internal sealed record SeriesResult(string Workload, string Series, IReadOnlyList<double> Wall, IReadOnlyList<double> Cpu)
{
    internal static IEnumerable<SeriesResult> Of(string workload, IReadOnlyList<Samples> rounds) =>
        rounds[0].Wall.Keys.Select(name => new SeriesResult(
            workload, name, [.. rounds.Select(samples => samples.Wall[name])], [.. rounds.Select(samples => samples.Cpu[name])]));
}
