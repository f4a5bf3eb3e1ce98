namespace PackageGraph;

/// <summary>What a run was asked to do.</summary>
internal sealed record RunOptions
{
    internal const int ObjectsDefault = 2_000_000;
    internal const int ObjectsMax = 1_000_000_000;
    internal const double SecondsDefault = 5;
    internal const double SecondsMax = 3600;
    internal const string WhyDefault = "inkscape,perl-base";

    /// <summary>About how many objects; whole editions of the index come closest to it.</summary>
    public int Objects { get; init; } = ObjectsDefault;

    /// <summary>Whether to rewrite the graph while it is walked.</summary>
    public bool Live { get; init; }

    /// <summary>Seconds of the background load, and of the live part, for each form.</summary>
    public double Seconds { get; init; } = SecondsDefault;

    /// <summary>Two packages: why does the first depend on the second.</summary>
    public string Why { get; init; } = WhyDefault;

    /// <summary>Whether standard output is one JSON document.</summary>
    public bool Json { get; init; }

    /// <summary>Where the page goes, or null for a place that is told at the end.</summary>
    public string? Page { get; init; }

    /// <summary>Where the result goes as a file, if anywhere.</summary>
    public string? Result { get; init; }

    /// <summary>The command as it was given.</summary>
    public string Command { get; init; } = "";
}
