namespace PackageGraph.Measuring;

/// <summary>What was measured of one form of the graph.</summary>
internal sealed record FormFigures
{
    /// <summary>Everything it holds: live bytes on the heap, and for the pile what counts against its limit.</summary>
    public required long Bytes { get; init; }

    /// <summary>Of these, bytes on the heap.</summary>
    public required long HeapBytes { get; init; }

    /// <summary>Bytes over nodes.</summary>
    public required double BytesPerObject { get; init; }

    /// <summary>By how much the process's resident memory grew.</summary>
    public required long ResidentBytes { get; init; }

    /// <summary>Objects that the collector has to look at.</summary>
    public required long ClrObjects { get; init; }

    public required double LoadSeconds { get; init; }

    /// <summary>Median pause of a blocking collection of everything.</summary>
    public required double Gen2PauseMs { get; init; }

    /// <summary>While a background load allocated.</summary>
    public required PauseFigures Pauses { get; init; }
}
