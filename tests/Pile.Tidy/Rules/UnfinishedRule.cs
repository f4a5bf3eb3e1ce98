using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>Nothing is left for later in the source: an issue or a decision note holds it, or it is done.</summary>
internal sealed partial class UnfinishedRule : IRule
{
    public string Name => "unfinished";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "// TO" + "DO: later\nclass A;\n", 1),
        new("src/Pile/A.cs", "/* a HA" + "CK */ class A { /// FIX" + "ME\n int X; }\n", 2),
        new("src/Pile/A.cs", "class A { void M() => throw new NotImplemented" + "Exception(); }", 1),
        new("tests/Pile.Tests/A.cs", "class A { [Fact(Skip " + "= \"flaky\")] public void M() { } }", 1),
        new("src/Pile/A.cs", "class A { string X = \"TO" + "DO\"; /* Todos are fine */ }", 0),
        new("src/Pile/A.cs", "class A { void M(int x) => x.Skip(1); }", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        foreach (SyntaxTrivia comment in file.Comments())
        {
            Match match = Mark().Match(comment.ToString());
            if (match.Success)
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(comment), $"{match.Value}: do it, or write it into an issue.");
            }
        }
        foreach (IdentifierNameSyntax name in file.Root.DescendantNodes().OfType<IdentifierNameSyntax>())
        {
            if (name.Identifier.ValueText == "NotImplemented" + "Exception")
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(name), "an unfinished member must not be reachable.");
            }
        }
        foreach (AttributeArgumentSyntax argument in file.Root.DescendantNodes().OfType<AttributeArgumentSyntax>())
        {
            if (argument.NameEquals?.Name.Identifier.ValueText == "Skip")
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(argument), "a test that is switched off: mend it or delete it.");
            }
        }
    }

    [GeneratedRegex(@"\b(TODO|FIXME|HACK|XXX)\b")]
    private static partial Regex Mark();
}
