using System.Collections.Generic;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>A figure in a comment has no command beside it and is never measured again.</summary>
internal sealed partial class PerformanceFigureRule : IRule
{
    public string Name => "performance figure";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "// costs 23 ns on a shared line\nclass A;\n", 1),
        new("src/Pile/A.cs", "/* 1.5GB/s */ class A { /* 8 M ops */ }\n", 2),
        new("src/Pile/A.cs", "// waits at most 100 ms; 64 KiB; the 3 nsec field\nclass A;\n", 0),
        new("bench/Pile.Bench/A.cs", "// costs 23 ns\nclass A;\n", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        if (file.Area != "src")
        {
            yield break;
        }
        foreach (SyntaxTrivia comment in file.Comments())
        {
            Match match = Figure().Match(comment.ToString());
            if (match.Success)
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(comment),
                    $"\"{match.Value}\": figures live in bench/results, each with its command.");
            }
        }
    }

    [GeneratedRegex(@"\b\d+(\.\d+)?\s?(ns|us|MB/s|GB/s|M ops)\b")]
    private static partial Regex Figure();
}
