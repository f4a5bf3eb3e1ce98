namespace PackageGraph.Data;

/// <summary>An edge of the catalogue.</summary>
/// <param name="Target">Index of the node it leads to.</param>
/// <param name="Bound">The version bound, "(>= 2.34)", or null.</param>
/// <param name="Mark">The rest.</param>
internal readonly record struct BaseEdge(int Target, string? Bound, EdgeMark Mark);
