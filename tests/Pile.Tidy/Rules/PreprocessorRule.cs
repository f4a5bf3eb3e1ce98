using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>No folding marks and no code that one build compiles and another does not.</summary>
internal sealed class PreprocessorRule : IRule
{
    /// <summary>Files that may hold conditional code, each with its reason.</summary>
    private static readonly (string Path, string Reason)[] _conditional =
        [("src/Pile/Primitives/Fault.cs", "planted faults exist only in a test build, and are constants in every other")];

    public string Name => "preprocessor";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "#region Fields\nclass A;\n#endregion\n", 1),
        new("src/Pile/A.cs", "#if DEBUG\nclass A;\n#endif\n", 1),
        new("src/Pile/Primitives/Fault.cs", "#if PILE_FAULTS\nclass A;\n#endif\n", 0),
        new("src/Pile/A.cs", "#pragma warning disable CA1000 // reason\nclass A;\n", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        foreach (SyntaxTrivia trivia in file.Root.DescendantTrivia().Where(trivia => trivia.IsDirective))
        {
            string? message = trivia.Kind() switch
            {
                SyntaxKind.RegionDirectiveTrivia => "#region: split the file instead.",
                SyntaxKind.IfDirectiveTrivia when !Array.Exists(_conditional, entry => entry.Path == file.RelativePath) => "#if: code that is not compiled is not checked; use a constant, [Conditional], or a seam.",
                _ => null,
            };
            if (message is not null)
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(trivia), message);
            }
        }
    }
}
