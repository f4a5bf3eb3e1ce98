using System.Collections.Generic;
using Pile;

namespace PackageGraph.Forms;

/// <summary>A node as it is put into a pile: the fields of <see cref="Package"/>, with pointers where that has references.</summary>
internal sealed record StoredPackage
{
    public required int Id { get; init; }

    public required string Name { get; init; }

    public string? Version { get; init; }

    public PileRef<string> Section { get; init; }

    public PileRef<string> Priority { get; init; }

    public PileRef<string> Maintainer { get; init; }

    public string? Description { get; init; }

    public int? InstalledKiB { get; init; }

    public long SizeBytes { get; init; }

    /// <summary>All edges, by kind.</summary>
    public IReadOnlyList<StoredEdge> Edges { get; init; } = [];

    /// <summary>How often the edges were rewritten.</summary>
    public int Revision { get; init; }

    /// <summary>The same with two edges in each other's place.</summary>
    internal StoredPackage WithExchanged(int first, int second)
    {
        StoredEdge[] edges = [.. Edges];
        (edges[first], edges[second]) = (edges[second], edges[first]);
        return this with { Edges = edges, Revision = Revision + 1 };
    }
}
