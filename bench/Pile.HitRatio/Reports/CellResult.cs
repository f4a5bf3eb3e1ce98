namespace Pile.HitRatio.Reports;

/// <summary>A contestant over a trace in a size. Ratios are of miss ratios, below 1 where fewer were missed; null when the other did not take
/// part.</summary>
internal sealed record CellResult
{
    public required string Trace { get; init; }

    /// <summary>The cache's part of the trace's bytes.</summary>
    public required double Size { get; init; }

    public required long CacheBytes { get; init; }

    public required string Contestant { get; init; }

    public required long Requests { get; init; }

    public required long Hits { get; init; }

    /// <summary>The most bytes that it held after a batch of requests.</summary>
    public required long MostUsedBytes { get; init; }

    public long Misses => Requests - Hits;

    /// <summary>First requests of keys count too: nobody can avoid them.</summary>
    public double MissRatio => Misses / (double)Requests;

    public double? OverS3Fifo { get; init; }

    public double? OverLru { get; init; }

    /// <summary>Over the better of S3-FIFO and 2Q.</summary>
    public double? OverBest { get; init; }
}
