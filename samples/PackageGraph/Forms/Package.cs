namespace PackageGraph.Forms;

/// <summary>A node as an ordinary object. A name that is no package has a name and edges alone.</summary>
internal sealed class Package
{
    public required int Id { get; init; }

    public required string Name { get; init; }

    public string? Version { get; init; }

    public string? Section { get; init; }

    public string? Priority { get; init; }

    public string? Maintainer { get; init; }

    public string? Description { get; init; }

    public int? InstalledKiB { get; init; }

    public long SizeBytes { get; init; }

    /// <summary>All edges, by kind. An array is never changed once it is here; a rewrite puts another in its place.</summary>
    public Edge[] Edges { get; set; } = [];
}
