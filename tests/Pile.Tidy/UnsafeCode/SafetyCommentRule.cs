using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.UnsafeCode;

/// <summary>Whoever goes round the checks says who made them: <c>// SAFETY:</c> on every member that does, and on an unsafe type.</summary>
internal sealed class SafetyCommentRule : IRule
{
    public string Name => "safety comment";

    public IReadOnlyList<Planted> Plantings => SafetyPlantings.All;

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        foreach (TypeDeclarationSyntax type in file.Root.DescendantNodes().OfType<TypeDeclarationSyntax>())
        {
            if (IsUnsafe(type.Modifiers) && !SafetyComment.StandsAbove(type))
            {
                yield return Report(file, type.Identifier, $"the unsafe type {type.Identifier.ValueText}");
            }
        }
        foreach (MemberDeclarationSyntax member in file.Root.DescendantNodes().OfType<MemberDeclarationSyntax>())
        {
            if (IsSubject(member) && NeedsComment(member) && !SafetyComment.StandsAbove(member) && !SafetyComment.OpensBodyOf(member))
            {
                yield return Report(file, NameOf(member), $"{NameOf(member).ValueText}, which has {FirstUse(member)},");
            }
        }
    }

    private Violation Report(SourceFile file, SyntaxToken name, string subject) =>
        new(Name, file.RelativePath, SourceFile.LineOf(name),
            $"{subject} lacks a `// SAFETY:` (directly above, or first in its body) that names who guarantees the bounds.");

    private static bool IsSubject(MemberDeclarationSyntax member) =>
        member is BaseMethodDeclarationSyntax or BasePropertyDeclarationSyntax or BaseFieldDeclarationSyntax or DelegateDeclarationSyntax;

    private static bool NeedsComment(MemberDeclarationSyntax member)
    {
        if (!member.Ancestors().OfType<TypeDeclarationSyntax>().Any(type => IsUnsafe(type.Modifiers)))
        {
            return UnsafeSyntax.Find(member).Any();
        }
        // In an unsafe type the comment above the type covers what only passes or keeps a pointer.
        return member.Modifiers.Any(modifier => modifier.IsKind(SyntaxKind.ExternKeyword))
            || member.DescendantNodes().OfType<AttributeSyntax>().Any(attribute => UnsafeSyntax.Find(attribute).Any())
            || Bodies(member).Any(body => UnsafeSyntax.Find(body).Any() || NamesAPointer(body, PointerNames(member)));
    }

    private static IEnumerable<SyntaxNode> Bodies(MemberDeclarationSyntax member) =>
        member.ChildNodes()
            .Concat((member as BasePropertyDeclarationSyntax)?.AccessorList?.Accessors.SelectMany(accessor => accessor.ChildNodes()) ?? [])
            .Where(node => node is BlockSyntax or ArrowExpressionClauseSyntax or EqualsValueClauseSyntax or ConstructorInitializerSyntax);

    private static bool NamesAPointer(SyntaxNode body, HashSet<string> pointers) =>
        body.DescendantNodes().OfType<IdentifierNameSyntax>().Any(name => pointers.Contains(name.Identifier.ValueText));

    // The parameters of the member, and the fields and properties of the types around it, that are written with a pointer type.
    private static HashSet<string> PointerNames(MemberDeclarationSyntax member)
    {
        IEnumerable<MemberDeclarationSyntax> siblings = member.Ancestors().OfType<TypeDeclarationSyntax>().SelectMany(type => type.Members);
        return
        [
            .. member.DescendantNodes().OfType<ParameterSyntax>().Where(parameter => IsPointer(parameter.Type)).Select(parameter => parameter.Identifier.ValueText),
            .. siblings.OfType<BaseFieldDeclarationSyntax>().Where(field => IsPointer(field.Declaration.Type))
                .SelectMany(field => field.Declaration.Variables).Select(variable => variable.Identifier.ValueText),
            .. siblings.OfType<PropertyDeclarationSyntax>().Where(property => IsPointer(property.Type)).Select(property => property.Identifier.ValueText),
        ];
    }

    private static bool IsPointer(TypeSyntax? type) => type is PointerTypeSyntax or FunctionPointerTypeSyntax;

    private static bool IsUnsafe(SyntaxTokenList modifiers) => modifiers.Any(modifier => modifier.IsKind(SyntaxKind.UnsafeKeyword));

    private static string FirstUse(MemberDeclarationSyntax member) => UnsafeSyntax.Find(member).Select(use => use.What).FirstOrDefault() ?? "a pointer";

    private static SyntaxToken NameOf(MemberDeclarationSyntax member) => member switch
    {
        MethodDeclarationSyntax method => method.Identifier,
        ConstructorDeclarationSyntax constructor => constructor.Identifier,
        DestructorDeclarationSyntax destructor => destructor.Identifier,
        OperatorDeclarationSyntax operation => operation.OperatorToken,
        ConversionOperatorDeclarationSyntax conversion => conversion.OperatorKeyword,
        PropertyDeclarationSyntax property => property.Identifier,
        EventDeclarationSyntax happening => happening.Identifier,
        IndexerDeclarationSyntax indexer => indexer.ThisKeyword,
        BaseFieldDeclarationSyntax field => field.Declaration.Variables[0].Identifier,
        DelegateDeclarationSyntax declared => declared.Identifier,
        _ => member.GetFirstToken(),
    };
}
