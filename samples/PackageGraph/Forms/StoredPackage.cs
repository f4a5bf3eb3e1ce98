using Pile;

namespace PackageGraph.Forms;

/// <summary>The columns of a package as they are put into a pile: an ordinary record, which the general codec stores. Text that many
/// packages share is put once and pointed to. Name and edges are the node's (<see cref="Link"/>).</summary>
internal sealed record StoredPackage
{
    public required string Version { get; init; }

    public PileRef<string> Section { get; init; }

    public PileRef<string> Priority { get; init; }

    public PileRef<string> Maintainer { get; init; }

    public required string Description { get; init; }

    public int? InstalledKiB { get; init; }

    public long SizeBytes { get; init; }
}
