namespace WarmRestart;

/// <summary>What a run was asked to do.</summary>
internal sealed record RunOptions
{
    internal const int PackagesDefault = 100_000;
    internal const int WritesDefault = 200_000;
    internal const int SeedDefault = 1;

    /// <summary>Packages to load; all of the index unless it has more.</summary>
    public int Packages { get; init; } = PackagesDefault;

    /// <summary>Acknowledged writes before the kill.</summary>
    public int Writes { get; init; } = WritesDefault;

    /// <summary>What is written, and what a power cut leaves.</summary>
    public int Seed { get; init; } = SeedDefault;

    /// <summary>Whether standard output is one JSON document.</summary>
    public bool Json { get; init; }

    /// <summary>Where the picture goes, or null for none.</summary>
    public string? Svg { get; init; }
}
