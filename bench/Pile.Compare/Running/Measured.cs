namespace Pile.Compare.Running;

/// <summary>What a contestant's process says of a round.</summary>
internal sealed record Measured
{
    /// <summary>Nanoseconds per operation by the wall clock; with two threads, of both together.</summary>
    public required double WallNs { get; init; }

    /// <summary>Nanoseconds per operation of the thread that took more of the processor.</summary>
    public required double CpuNs { get; init; }

    /// <summary>Bytes allocated on the GC heap per operation.</summary>
    public required double AllocatedBytes { get; init; }

    /// <summary>Milliseconds that the collector stopped the process.</summary>
    public required double PauseMs { get; init; }

    /// <summary>Collections, of any generation.</summary>
    public required int Collections { get; init; }

    /// <summary>Resident memory of the process afterwards.</summary>
    public required long ResidentBytes { get; init; }
}
