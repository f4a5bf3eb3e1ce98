using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>A type is in one file; <c>partial</c> is for the half that a source generator writes.</summary>
internal sealed class PartialRule : IRule
{
    private static readonly string[] _generatorAttributes =
        ["LibraryImport", "GeneratedRegex", "LoggerMessage", "JsonSerializable", "JsonSourceGenerationOptions", "PileObject", "DataContract"];

    public string Name => "partial";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "partial class A { void M() { } }", 1),
        new("src/Pile/A.cs", "partial class A { class B { [LibraryImport(\"c\")] static partial int M(); } }", 0),
        new("src/Pile/A.cs", "[System.Text.Json.Serialization.JsonSerializable(typeof(int))] partial class A;", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        foreach (TypeDeclarationSyntax type in file.Root.DescendantNodes().OfType<TypeDeclarationSyntax>())
        {
            bool isPartial = type.Modifiers.Any(modifier => modifier.IsKind(SyntaxKind.PartialKeyword));
            if (isPartial && !type.DescendantNodes().OfType<AttributeSyntax>().Any(IsForAGenerator))
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(type.Identifier),
                    $"{type.Identifier.ValueText} is partial, but no source generator writes its other half.");
            }
        }
    }

    private static bool IsForAGenerator(AttributeSyntax attribute) =>
        _generatorAttributes.Contains(SyntaxNames.Rightmost(attribute.Name).Replace("Attribute", "", StringComparison.Ordinal));
}
