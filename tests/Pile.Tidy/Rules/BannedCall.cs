using System;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>A member that is not to be called (empty: the whole type), what to use instead, and in which files.</summary>
internal sealed record BannedCall(string Type, string[] Members, string Instead, Predicate<SourceFile> Where)
{
    /// <summary>The files that may write to the console: programs (tests/Pile.Faults is one), and the test that captures what a snippet writes.</summary>
    private static readonly string[] _consoleFolders = ["src/Pile.Tool", "src/Pile.Server/Running", "tests/Pile.Faults", "tests/Pile.Tidy/Snippets"];

    /// <summary>The one place that asks the system's coarse clock, and says what for.</summary>
    private const string CoarseClock = "src/Pile.Client/Near/CoarseClock.cs";

    public static readonly BannedCall[] All =
    [
        new("DateTime", ["Now", "UtcNow", "Today"], "TimeProvider.GetUtcNow()", Everywhere),
        new("DateTimeOffset", ["Now", "UtcNow"], "TimeProvider.GetUtcNow()", Everywhere),
        new("Stopwatch", [], "TimeProvider.GetTimestamp()", IsSrcOrTests),
        new("Environment", ["TickCount", "TickCount64"], "TimeProvider.GetTimestamp()", static file => IsSrcOrTests(file) && file.RelativePath != CoarseClock),
        new("Random", ["Shared"], "new Random(seed), with the seed printed", Everywhere),
        new("Thread", ["Sleep"], "an event to wait for, or TimeProvider.CreateTimer", IsSrcOrTests),
        new("Task", ["Delay"], "an event to wait for, or TimeProvider.CreateTimer", IsSrcOrTests),
        new("BitConverter", ["ToBoolean", "ToChar", "ToDouble", "ToHalf", "ToInt128", "ToInt16", "ToInt32", "ToInt64", "ToSingle",
            "ToUInt128", "ToUInt16", "ToUInt32", "ToUInt64", "GetBytes", "TryWriteBytes"], "BinaryPrimitives, which names the byte order", Everywhere),
        new("Console", [], "return it, ITestOutputHelper, or an EventSource", MayNotWriteToTheConsole),
        new("Type", ["GetType", "GetTypeFromProgID"], "KnownTypes: a name never loads a type", IsSrc),
        new("Assembly", ["Load", "LoadFrom", "LoadFile", "UnsafeLoadFrom", "LoadWithPartialName"], "KnownTypes: a name never loads a type", IsSrc),
        new("AssemblyLoadContext", [], "KnownTypes: a name never loads a type", IsSrc),
        new("GC", ["Collect"], "nothing: a library leaves the collector alone", IsSrc),
    ];

    public bool Covers(string type, string member) => type == Type && (Members.Length == 0 || Array.IndexOf(Members, member) >= 0);

    public static bool Everywhere(SourceFile file) => file.Area.Length > 0;

    private static bool IsSrc(SourceFile file) => file.Area == "src";

    private static bool IsSrcOrTests(SourceFile file) => file.Area is "src" or "tests";

    private static bool MayNotWriteToTheConsole(SourceFile file) =>
        IsSrcOrTests(file) && !Array.Exists(_consoleFolders, file.IsUnder);
}
