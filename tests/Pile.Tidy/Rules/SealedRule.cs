using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>A class is sealed, static or abstract, unless its project derives from it, or BenchmarkDotNet does.</summary>
internal sealed class SealedRule : IRule
{
    private static readonly SyntaxKind[] _closed = [SyntaxKind.SealedKeyword, SyntaxKind.StaticKeyword, SyntaxKind.AbstractKeyword];

    public string Name => "sealed";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "public class A;", 1),
        new("src/Pile/A.cs", "public record A(int X);", 1),
        new("src/Pile/A.cs", "sealed class A { class Nested; }", 1),
        new("src/Pile/A.cs", "public class A<T>; sealed class B : A<int>; static class C; abstract class D; struct E; record struct F;", 0),
        new("bench/Pile.Bench/A.cs", "public class A { [Benchmark] public void B() { } }", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        foreach (TypeDeclarationSyntax type in file.Root.DescendantNodes().OfType<TypeDeclarationSyntax>())
        {
            bool isClass = type.Kind() is SyntaxKind.ClassDeclaration or SyntaxKind.RecordDeclaration;
            if (isClass && !type.Modifiers.Any(modifier => _closed.Contains(modifier.Kind())) && !IsDerivedFrom(type, file, all) && !HasBenchmarks(type))
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(type.Identifier),
                    $"{type.Identifier.ValueText} is open and nothing here derives from it: seal it.");
            }
        }
    }

    private static bool HasBenchmarks(TypeDeclarationSyntax type) => type.Members.SelectMany(member => member.AttributeLists)
        .SelectMany(list => list.Attributes).Any(attribute => attribute.Name.ToString() == "Benchmark");

    private static bool IsDerivedFrom(TypeDeclarationSyntax type, SourceFile file, IReadOnlyList<SourceFile> all) =>
        all.Where(other => other.Area == file.Area && other.Project == file.Project)
            .SelectMany(other => other.Root.DescendantNodes().OfType<BaseTypeSyntax>())
            .Any(baseType => SyntaxNames.Rightmost(baseType.Type) == type.Identifier.ValueText);
}
