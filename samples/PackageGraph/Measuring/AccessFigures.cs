namespace PackageGraph.Measuring;

/// <summary>Reads and walks over both forms, in turn, medians over the rounds.</summary>
internal sealed record AccessFigures
{
    /// <summary>Nanoseconds to read two numbers and a letter of a random package.</summary>
    public required double HeapReadNs { get; init; }

    /// <summary>The same in place under a PileReader.</summary>
    public required double PileReadNs { get; init; }

    /// <summary>The same after making a whole object of it by Get.</summary>
    public required double PileGetNs { get; init; }

    /// <summary>Nanoseconds to find a package by its name.</summary>
    public required double HeapLookupNs { get; init; }

    public required double PileLookupNs { get; init; }

    /// <summary>Microseconds to answer why a package depends on another.</summary>
    public required double HeapPathUs { get; init; }

    public required double PilePathUs { get; init; }

    /// <summary>Milliseconds for a transitive closure over all kinds of edges.</summary>
    public required double HeapClosureMs { get; init; }

    public required double PileClosureMs { get; init; }

    /// <summary>Nodes of a closure, on average; both forms found the same.</summary>
    public required double ClosureNodes { get; init; }
}
