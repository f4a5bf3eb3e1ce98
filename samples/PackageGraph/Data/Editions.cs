using System;
using System.Globalization;

namespace PackageGraph.Data;

/// <summary>How the catalogue is multiplied: whole editions, each with names and descriptions of its own and with its own edges.
/// Sections, priorities, maintainers and version bounds are shared by all, as a program would share them.</summary>
internal static class Editions
{
    /// <summary>How many editions come closest to a number of objects; at least one.</summary>
    internal static int CountFor(long objects, int perEdition) =>
        (int)long.Max(1, (objects + (perEdition / 2)) / perEdition);

    /// <summary>A node's name in an edition; the first edition has the names of the file.</summary>
    internal static string NameOf(string key, int edition) => edition == 0 ? key : string.Create(CultureInfo.InvariantCulture, $"{key}@{edition}");

    /// <summary>A package's version in an edition.</summary>
    internal static string VersionOf(string version, int edition) =>
        edition == 0 ? new string(version.AsSpan()) : string.Create(CultureInfo.InvariantCulture, $"{version}+e{edition}");

    /// <summary>A package's description in an edition.</summary>
    internal static string DescriptionOf(string description, int edition) =>
        edition == 0 ? new string(description.AsSpan()) : string.Create(CultureInfo.InvariantCulture, $"{description} (edition {edition})");
}
