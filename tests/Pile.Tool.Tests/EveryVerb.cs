using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Pile.Tool.Tests;

/// <summary>All verbs, each with a line that does its work on a pile or on a cache, for tests that go through them.</summary>
internal static class EveryVerb
{
    /// <summary>Those on entries, which take a cache.</summary>
    internal static IReadOnlyList<string> OfACache { get; } = ["get", "set", "del", "scan", "tables"];

    /// <summary>Those that need a server: ServerTests has them.</summary>
    internal static IReadOnlyList<string> OfAServer { get; } = ["ping", "top", "watch"];

    /// <summary>All but those that need a server.</summary>
    internal static IReadOnlyList<string> Names { get; } =
        [.. OfACache, "info", "verify", "recover", "types", "ls", "show", "stat", "compact", "copy", "export", "import", "bench", "doctor", "completion"];

    /// <summary>Those that use no pile, or none but their own.</summary>
    internal static IReadOnlyList<string> Alone { get; } = ["bench", "doctor", "completion"];

    /// <summary>Those that take a pile's directory; compact, which changes it, last.</summary>
    internal static IEnumerable<string> OfAPile { get; } = [.. Names.Except([.. OfACache, .. Alone, "compact", "import"]), "compact"];

    /// <summary>Those that make something.</summary>
    internal static IReadOnlyList<string> Making { get; } = ["copy", "recover", "import", "export"];

    /// <summary>A line.</summary>
    /// <param name="verb">The verb.</param>
    /// <param name="pile">The pile's or the cache's directory, or for import the export's file.</param>
    /// <param name="target">What it makes, where it makes something.</param>
    internal static string[] Line(string verb, string pile, string target) =>
    [
        verb,
        .. verb switch
        {
            "recover" or "copy" or "export" or "import" => (string[])[pile, target],
            "bench" => [Path.GetDirectoryName(target)!, "--requests", "1000", "--keys", "1000"],
            "doctor" => [Path.GetDirectoryName(target)!],
            "completion" => ["bash"],
            "show" => [pile, "text"],
            "get" => [pile, "greeting", "--table", "texts"],
            "set" => [pile, "new", "a value", "--table", "texts"],
            "del" => [pile, "old", "--table", "texts"],
            "scan" => [pile, "--table", "texts"],
            _ => [pile],
        },
        "--quiet", // On a slow machine they would show progress.
    ];
}
