using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Pile.Tidy.Source;

/// <summary>Names as they are written, without binding them.</summary>
internal static class SyntaxNames
{
    /// <summary>Returns the last identifier of a name or member access: <c>Console</c> of <c>System.Console</c>.</summary>
    public static string Rightmost(SyntaxNode? node) => node switch
    {
        SimpleNameSyntax name => name.Identifier.ValueText,
        QualifiedNameSyntax name => name.Right.Identifier.ValueText,
        AliasQualifiedNameSyntax name => name.Name.Identifier.ValueText,
        MemberAccessExpressionSyntax access => access.Name.Identifier.ValueText,
        NullableTypeSyntax nullable => Rightmost(nullable.ElementType),
        _ => "",
    };

    /// <summary>Returns the identifiers of a dotted name, or nothing when it is not one.</summary>
    public static IReadOnlyList<string> Parts(SyntaxNode? node) => node switch
    {
        SimpleNameSyntax name => [name.Identifier.ValueText],
        AliasQualifiedNameSyntax name => [name.Name.Identifier.ValueText],
        QualifiedNameSyntax name => Join(Parts(name.Left), name.Right),
        MemberAccessExpressionSyntax access => Join(Parts(access.Expression), access.Name),
        _ => [],
    };

    /// <summary>Returns every <c>Type.Member</c> in <paramref name="root"/>, with the last identifier of each side.</summary>
    public static IEnumerable<(SyntaxNode Node, string Type, string Member)> Accesses(SyntaxNode root) =>
        root.DescendantNodesAndSelf().OfType<MemberAccessExpressionSyntax>()
            .Select(access => ((SyntaxNode)access, Rightmost(access.Expression), access.Name.Identifier.ValueText));

    private static IReadOnlyList<string> Join(IReadOnlyList<string> left, SimpleNameSyntax right) =>
        left.Count == 0 ? [] : [.. left, right.Identifier.ValueText];
}
