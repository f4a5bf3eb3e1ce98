using PackageGraph.Data;

namespace PackageGraph.Forms;

/// <summary>An edge between ordinary objects.</summary>
internal readonly record struct Edge(Package Target, string? Bound, EdgeMark Mark);
