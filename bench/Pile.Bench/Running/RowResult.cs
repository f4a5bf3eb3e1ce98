using System.Collections.Generic;
using System.Linq;

namespace Pile.Bench.Running;

/// <summary>A row with its figures on both clocks.</summary>
internal sealed class RowResult
{
    internal RowResult(string workload, Row row, IReadOnlyList<Samples> rounds)
    {
        Workload = workload;
        Row = row;
        Wall = new RowFigures(row, [.. rounds.Select(samples => samples.Wall)]);
        Cpu = new RowFigures(row, [.. rounds.Select(samples => samples.Cpu)]);
    }

    public string Workload { get; }

    public Row Row { get; }

    public RowFigures Wall { get; }

    public RowFigures Cpu { get; }
}
