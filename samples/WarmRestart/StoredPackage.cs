using System;
using System.Linq;
using PackageGraph.Data;

namespace WarmRestart;

/// <summary>A package as it is stored: the row of the index that it comes from, and how often it was written.</summary>
internal sealed record StoredPackage(int Row, int Revision, string Name, string Version, string Section, long SizeBytes, string Maintainer, string Description, string[] Relations)
{
    internal static StoredPackage Of(PackageRow row, int index, int revision) =>
        new(index, revision, row.Name, row.Version, row.Section, row.SizeBytes, row.Maintainer, row.Description, row.Relations);

    /// <summary>Whether this is what was put, text by text.</summary>
    internal bool IsSame(StoredPackage other) =>
        this with { Relations = other.Relations } == other && Relations.SequenceEqual(other.Relations, StringComparer.Ordinal);
}
