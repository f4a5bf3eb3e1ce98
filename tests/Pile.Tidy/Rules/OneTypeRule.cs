using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>One top-level type per file, and the file has its name.</summary>
internal sealed class OneTypeRule : IRule
{
    /// <summary>File and type that may stand in it beside the type of its name; each with its reason.</summary>
    private static readonly (string Path, string Type, string Reason)[] _companions = [];

    public string Name => "one type";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "namespace Pile;\nclass A;\nclass B;\n", 1),
        new("src/Pile/A.cs", "namespace Pile;\nenum B;\n", 1),
        new("src/Pile/A.cs", "namespace Pile;\ndelegate void D();\nstruct A;\n", 1),
        new("src/Pile/A.cs", "namespace Pile;\nclass A<T>;\nstatic class A { class Nested; }\nfile class Local;\n", 0),
        new("bench/Pile.Bench/Program.cs", "return 0;\n", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        foreach (MemberDeclarationSyntax type in file.TopLevelTypes())
        {
            string name = NameOf(type);
            bool isLocal = type.Modifiers.Any(modifier => modifier.IsKind(SyntaxKind.FileKeyword));
            bool isCompanion = Array.Exists(_companions, entry => entry.Path == file.RelativePath && entry.Type == name);
            if (name != file.Name && !isLocal && !isCompanion)
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(type),
                    $"{name} belongs in {name}.cs, or nested in {file.Name}, or in the Companions list of {nameof(OneTypeRule)} with a reason.");
            }
        }
    }

    private static string NameOf(MemberDeclarationSyntax type) => type switch
    {
        BaseTypeDeclarationSyntax declared => declared.Identifier.ValueText,
        DelegateDeclarationSyntax declared => declared.Identifier.ValueText,
        _ => "",
    };
}
