namespace Pile.HitRatio.Reports;

/// <summary>A contestant over all traces and sizes.</summary>
/// <param name="Contestant">Its name.</param>
/// <param name="OverLru">Geometric mean of its miss ratios over LRU's.</param>
/// <param name="OverS3Fifo">The same over exact S3-FIFO's.</param>
/// <param name="WorstOverS3Fifo">The largest of these.</param>
/// <param name="WorstOverBest">The largest over the better of S3-FIFO and 2Q.</param>
internal sealed record MeanResult(string Contestant, double? OverLru, double? OverS3Fifo, double? WorstOverS3Fifo, double? WorstOverBest);
