namespace PackageGraph.Data;

/// <summary>Which column an edge comes from; the last one is Provides read backwards.</summary>
internal enum EdgeKind
{
    Depends,
    PreDepends,
    Recommends,
    Suggests,
    Provides,
    ProvidedBy,
}
