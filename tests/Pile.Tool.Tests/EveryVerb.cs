using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Pile.Tool.Tests;

/// <summary>All verbs, each with a line that does its work on a pile, for tests that go through them.</summary>
internal static class EveryVerb
{
    /// <summary>All.</summary>
    internal static IReadOnlyList<string> Names { get; } =
        ["info", "verify", "recover", "types", "ls", "get", "show", "stats", "compact", "copy", "export", "import", "bench"];

    /// <summary>Those that take a pile's directory; compact, which changes it, last.</summary>
    internal static IEnumerable<string> OfAPile { get; } = [.. Names.Except(["compact", "import", "bench"]), "compact"];

    /// <summary>A line.</summary>
    /// <param name="verb">The verb.</param>
    /// <param name="pile">The pile's directory, or for import the export's file.</param>
    /// <param name="target">What it makes, where it makes something.</param>
    internal static string[] Line(string verb, string pile, string target) =>
    [
        verb,
        .. verb switch
        {
            "recover" or "copy" or "export" or "import" => (string[])[pile, target],
            "bench" => [Path.GetDirectoryName(target)!, "--objects", "1000"],
            "get" or "show" => [pile, "text"],
            _ => [pile],
        },
        "--quiet", // On a slow machine they would show progress.
    ];
}
