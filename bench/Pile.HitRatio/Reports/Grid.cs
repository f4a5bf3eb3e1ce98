using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Pile.HitRatio.Reports;

/// <summary>The result as rows of text: a line for each trace and size with a column for each contestant, and what it comes to.</summary>
internal static class Grid
{
    /// <summary>Names of the columns.</summary>
    internal static string[] Heads(HitRatioResult result) => ["trace", "cache", .. result.Contestants.Select(static contestant => contestant.Name)];

    /// <summary>Miss ratios, with the ratio to exact S3-FIFO behind.</summary>
    internal static IReadOnlyList<string[]> Rows(HitRatioResult result) =>
    [
        .. result.Cells.GroupBy(static cell => (cell.Trace, cell.Size)).Select(group =>
            (string[])[group.Key.Trace, Percent(group.Key.Size), .. result.Contestants.Select(contestant => Cell(group.Single(cell => cell.Contestant == contestant.Name)))]),
        Summary(result, "geometric mean vs LRU", static mean => mean.OverLru),
        Summary(result, "geometric mean vs S3-FIFO", static mean => mean.OverS3Fifo),
        Summary(result, "worst vs S3-FIFO", static mean => mean.WorstOverS3Fifo),
        Summary(result, "worst vs the better of S3-FIFO and 2Q", static mean => mean.WorstOverBest),
    ];

    /// <summary>A part as a percentage.</summary>
    internal static string Percent(double part) => string.Create(CultureInfo.InvariantCulture, $"{part * 100:0.###} %");

    private static string Cell(CellResult cell) =>
        $"{cell.MissRatio.ToString("0.0000", CultureInfo.InvariantCulture)}{(cell.OverS3Fifo is { } ratio ? $" ({Ratio(ratio)})" : "")}";

    private static string[] Summary(HitRatioResult result, string name, System.Func<MeanResult, double?> figure) =>
        [name, "", .. result.Contestants.Select(contestant => Ratio(figure(result.Means.Single(mean => mean.Contestant == contestant.Name))))];

    private static string Ratio(double? ratio) => ratio is { } number ? number.ToString("0.000", CultureInfo.InvariantCulture) : "";
}
