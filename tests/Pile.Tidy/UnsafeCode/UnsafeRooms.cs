using System;
using Pile.Tidy.Source;

namespace Pile.Tidy.UnsafeCode;

/// <summary>Where unsafe code may live.</summary>
internal static class UnsafeRooms
{
    /// <summary>Two rooms of src, the tests that mirror them, and the raw loops that benchmarks compare with.</summary>
    public static bool Contains(SourceFile file) => file.Area switch
    {
        "src" => file.IsUnder("src/Pile/Memory") || file.IsUnder("src/Pile.Interop"),
        "tests" => FirstFolder(file) is "Memory" or "Interop",
        "bench" => FirstFolder(file) is "Baselines",
        _ => false,
    };

    private static string FirstFolder(SourceFile file) => Array.Find(file.FoldersInProject, _ => true) ?? "";
}
