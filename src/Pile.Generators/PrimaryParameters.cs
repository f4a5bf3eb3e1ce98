// Parameters of a primary constructor that members use: the compiler keeps them in fields that no symbol shows, so that no accessor
// can be written for them. Records have none: theirs are properties.
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Pile.Generators;

/// <summary>Finds captured parameters.</summary>
internal static class PrimaryParameters
{
    /// <summary>The name of a parameter that a type or a base of it captures, or null.</summary>
    internal static string? Captured(INamedTypeSymbol type, Compilation compilation) => FieldSymbols.LevelsOf(type)
        .SelectMany(level => level.DeclaringSyntaxReferences).Select(at => at.GetSyntax()).OfType<TypeDeclarationSyntax>()
        .Select(declared => CapturedIn(declared, compilation)).FirstOrDefault(name => name is not null);

    private static string? CapturedIn(TypeDeclarationSyntax declared, Compilation compilation)
    {
        SemanticModel? model = null;
        foreach (IdentifierNameSyntax use in declared.Members.SelectMany(member => member.DescendantNodes()).OfType<IdentifierNameSyntax>())
        {
            if (IsInMember(use, declared)
                && (model ??= compilation.GetSemanticModel(declared.SyntaxTree)).GetSymbolInfo(use).Symbol is IParameterSymbol parameter
                && IsPrimary(parameter))
            {
                return parameter.Name;
            }
        }

        return null;
    }

    private static bool IsPrimary(IParameterSymbol parameter) =>
        parameter.ContainingSymbol is IMethodSymbol { MethodKind: MethodKind.Constructor }
        && parameter.DeclaringSyntaxReferences.Any(at => at.GetSyntax().Parent?.Parent is TypeDeclarationSyntax);

    /// <summary>Whether a name stands in what runs later, and not in the initializer of a field or property.</summary>
    private static bool IsInMember(IdentifierNameSyntax use, TypeDeclarationSyntax declared)
    {
        SyntaxNode member = use.AncestorsAndSelf().First(node => node.Parent == declared);
        return member is not (FieldDeclarationSyntax or EventFieldDeclarationSyntax or TypeDeclarationSyntax)
            && (member is not PropertyDeclarationSyntax { Initializer: { } initializer } || !initializer.Contains(use));
    }
}
