using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Pile.Tidy.Source;
using Xunit;

namespace Pile.Tidy.Docs;

/// <summary>What documents call by a name of the code has that name in the code.</summary>
public sealed partial class DocumentNameTests
{
    /// <summary>Documents that name the code of others too: the names there are not ours to check.</summary>
    private static readonly string[] _ofOthers =
        ["docs/FROM-NFX.md", "docs/FROM-FUSIONCACHE.md", "docs/FROM-MEMORYCACHE.md", "docs/FROM-REDIS.md", "docs/COMPARISON.md", "docs/CACHING.md", "docs/STATUS.md"];

    /// <summary>Names of the framework, of its builds, and of systemd, that the sources have no use for.</summary>
    private static readonly string[] _ofTheFramework = ["DOTNET_GCHeapHardLimit", "FailFast", "HttpMethod", "LimitNOFILE", "PhysicalAddress", "PublishSingleFile", "PublishTrimmed", "ReadAllAsync"];

    private static readonly Lazy<HashSet<string>> _names = new(() =>
    [
        .. Repository.Files.Where(static path => (path.StartsWith("src/", StringComparison.Ordinal) && path.EndsWith(".cs", StringComparison.Ordinal)) || path.EndsWith(".proto", StringComparison.Ordinal))
            .SelectMany(static path => Word().Matches(Read(path)).Select(static word => word.Value)),
        .. _ofTheFramework,
    ]);

    public static TheoryData<string> Documents =>
        [.. Repository.Files.Where(static path => path is "README.md" or "SECURITY.md" || (path.StartsWith("docs/", StringComparison.Ordinal) && path.EndsWith(".md", StringComparison.Ordinal) && Path.GetDirectoryName(path) == "docs")).Except(_ofOthers)];

    [Theory]
    [MemberData(nameof(Documents))]
    public void EveryNameOfTheCodeInADocumentIsInTheSources(string path) => Assert.Empty(Unknown(Read(path)));

    [Theory]
    [InlineData("the limit `PayloadBytesMost` of", "PayloadBytesMost")]
    [InlineData("`ObjectPile.Unshut(directory)`", "Unshut")]
    [InlineData("`Get<Tea>(pointer)`", "")]
    [InlineData("`PileRef<T>` and `du -h` and `Put(value)`", "")]
    [InlineData("```text\n`Nonsense`\n```\n", "")]
    public void ANameThatTheSourcesDoNotHaveIsReported(string text, string expected) => Assert.Equal(expected, string.Join(' ', Unknown(text)));

    private static IEnumerable<string> Unknown(string text) =>
        CodeSpan().Matches(Block().Replace(text, "")).SelectMany(static span => span.Groups["name"].Captures).Select(static name => name.Value).Where(static name => !_names.Value.Contains(name)).Distinct();

    private static string Read(string path) => File.ReadAllText(Repository.FullPath(path));

    [GeneratedRegex(@"[A-Za-z_]\w*")]
    private static partial Regex Word();

    [GeneratedRegex("```.*?```", RegexOptions.Singleline)]
    private static partial Regex Block();

    /// <summary>One name, or several with points between them, with type arguments or a call behind them.</summary>
    [GeneratedRegex(@"(?<!`)`(?<name>[A-Z]\w+)(?:\.(?<name>[A-Z]\w+))*(?:<[^`]*>)?(?:\([^`]*\))?`")]
    private static partial Regex CodeSpan();
}
