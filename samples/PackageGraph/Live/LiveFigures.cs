using System.Collections.Generic;
using PackageGraph.Measuring;

namespace PackageGraph.Live;

/// <summary>One form while one thread rewrote edges and another walked.</summary>
internal sealed record LiveFigures
{
    public required long Rewrites { get; init; }

    public required long Walks { get; init; }

    /// <summary>Nodes met by each walk: always the same ones, whatever was rewritten.</summary>
    public required int NodesPerWalk { get; init; }

    /// <summary>Nodes whose bytes did not fit together. There must be none.</summary>
    public required long TornNodes { get; init; }

    /// <summary>Walks that met other nodes than the first walk. There must be none.</summary>
    public required long WrongWalks { get; init; }

    public required double MedianWalkMs { get; init; }

    public required double LongestWalkMs { get; init; }

    /// <summary>The longest walk of each hundredth of the time.</summary>
    public required IReadOnlyList<double> WalksMs { get; init; }

    public required PauseFigures Pauses { get; init; }
}
