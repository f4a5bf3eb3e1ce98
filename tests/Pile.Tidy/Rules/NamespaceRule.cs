using System.Collections.Generic;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>The namespace is the folder, so that a stranger finds a type by its full name.</summary>
internal sealed class NamespaceRule : IRule
{
    public string Name => "namespace equals folder";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/Table/A.cs", "namespace Pile;\nclass A;\n", 1),
        new("src/Pile/A.cs", "namespace Pile.Table;\nclass A;\n", 1),
        new("src/Pile/A.cs", "class A;\n", 1),
        new("src/Pile/Table/A.cs", "namespace Pile.Table;\nclass A;\n", 0),
        new("tests/Pile.Tests/Table/A.cs", "namespace Pile.Tests.Table;\nclass A;\n", 0),
        new("bench/Pile.Bench/Program.cs", "return 0;\n", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        string expected = string.Join('.', [file.Project, .. file.FoldersInProject]);
        foreach (MemberDeclarationSyntax type in file.TopLevelTypes())
        {
            string actual = (type.Parent as BaseNamespaceDeclarationSyntax)?.Name.ToString() ?? "(none)";
            if (actual != expected && file.Area != "samples")
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(type), $"namespace {actual}, but the folder is {expected}.");
            }
        }
    }
}
