namespace PackageGraph.Data;

/// <summary>A line of the package index: its 13 columns. The last five, relations in the order of <see cref="EdgeKind"/>, are
/// still text; the installed size is null where the index has none.</summary>
internal sealed record PackageRow(
    string Name,
    string Version,
    string Section,
    string Priority,
    int? InstalledKiB,
    long SizeBytes,
    string Maintainer,
    string Description,
    string[] Relations);
