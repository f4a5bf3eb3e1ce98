using System;
using System.Collections.Generic;
using System.Linq;
using Pile.HitRatio.Contestants;

namespace Pile.HitRatio.Reports;

/// <summary>Sets the contestants of each trace and size against one another. No miss ratio is zero: the first request of a trace misses.</summary>
internal static class Comparison
{
    /// <summary>Cells with their ratios.</summary>
    internal static IReadOnlyList<CellResult> Of(IReadOnlyList<CellResult> cells) =>
        [.. cells.GroupBy(static cell => (cell.Trace, cell.Size)).SelectMany(static group => group.Select(cell => cell with
        {
            OverS3Fifo = Over(cell, Missed(group, Entries.S3Fifo)),
            OverLru = Over(cell, Missed(group, Entries.Lru)),
            OverBest = Over(cell, Missed(group, Entries.S3Fifo) is { } one && Missed(group, Entries.TwoQueues) is { } other ? double.Min(one, other) : null),
        }))];

    /// <summary>Contestants over all cells, in the order in which they appear.</summary>
    internal static IReadOnlyList<MeanResult> Means(IReadOnlyList<CellResult> compared) =>
        [.. compared.GroupBy(static cell => cell.Contestant).Select(static group => new MeanResult(
            group.Key,
            Mean(group.Select(static cell => cell.OverLru)),
            Mean(group.Select(static cell => cell.OverS3Fifo)),
            group.Max(static cell => cell.OverS3Fifo),
            group.Max(static cell => cell.OverBest)))];

    private static double? Missed(IEnumerable<CellResult> group, string contestant) => group.FirstOrDefault(cell => cell.Contestant == contestant)?.MissRatio;

    private static double? Over(CellResult cell, double? missed) => cell.MissRatio / missed;

    private static double? Mean(IEnumerable<double?> ratios) =>
        ratios.Select(static ratio => ratio is { } number ? Math.Log(number) : (double?)null).ToList() is var logs && logs.Contains(null) ? null : Math.Exp(logs.Average()!.Value);
}
