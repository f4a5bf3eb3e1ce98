using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>What the parser of these tests can't read, no other rule has checked.</summary>
internal sealed class SyntaxRule : IRule
{
    public string Name => "syntax";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "class A { void M( }", 1),
        new("src/Pile/A.cs", "class A { int X { get => field; set => field = value; } }", 0),
        new("src/Pile/A.cs", "static class A { extension(string text) { public int Half => text.Length / 2; } }", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        Diagnostic? first = file.Tree.GetDiagnostics().FirstOrDefault(found => found.Severity == DiagnosticSeverity.Error);
        if (first is not null)
        {
            yield return new(Name, file.RelativePath, first.Location.GetLineSpan().StartLinePosition.Line + 1,
                $"the parser of these tests does not read this: {first.GetMessage(null)}");
        }
    }
}
