namespace PackageGraph.Data;

/// <summary>One name of a relation column.</summary>
/// <param name="Name">The package or virtual package.</param>
/// <param name="Qualifier">":any" and the like, or empty.</param>
/// <param name="Bound">"(>= 2.34)", or empty.</param>
/// <param name="IsAlternative">Whether it stands behind a " | ".</param>
internal readonly record struct RelationItem(string Name, string Qualifier, string Bound, bool IsAlternative);
