using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.UnsafeCode;

/// <summary>Where a <c>// SAFETY:</c> comment may stand, and what it must say at the least.</summary>
internal static partial class SafetyComment
{
    /// <summary>True when one stands above the declaration: before, among or after its attributes and modifiers.</summary>
    public static bool StandsAbove(MemberDeclarationSyntax member) =>
        member.AttributeLists.SelectMany(list => list.DescendantTokens())
            .Concat(member.Modifiers)
            .Append(member.GetFirstToken())
            .Concat(member.AttributeLists.Select(list => list.GetLastToken().GetNextToken()))
            .Any(token => IsIn(token.LeadingTrivia));

    /// <summary>True when one is the first thing in the body, or in the body of the first accessor that has one; or, without a block, ends the line.</summary>
    public static bool OpensBodyOf(MemberDeclarationSyntax member)
    {
        SyntaxToken last = member.GetLastToken();
        if (last.IsKind(SyntaxKind.SemicolonToken) && IsIn(last.TrailingTrivia))
        {
            return true;
        }
        SyntaxNode? body = member switch
        {
            BaseMethodDeclarationSyntax method => (SyntaxNode?)method.Body ?? method.ExpressionBody,
            PropertyDeclarationSyntax { ExpressionBody: { } arrow } => arrow,
            IndexerDeclarationSyntax { ExpressionBody: { } arrow } => arrow,
            BasePropertyDeclarationSyntax property => FirstBody(property.AccessorList),
            _ => null,
        };
        return body switch
        {
            BlockSyntax block => IsIn(block.OpenBraceToken.TrailingTrivia) || IsIn(block.OpenBraceToken.GetNextToken().LeadingTrivia),
            ArrowExpressionClauseSyntax arrow => IsIn(arrow.ArrowToken.TrailingTrivia) || IsIn(arrow.ArrowToken.GetNextToken().LeadingTrivia),
            _ => false,
        };
    }

    private static SyntaxNode? FirstBody(AccessorListSyntax? accessors) =>
        accessors?.Accessors.Select(accessor => (SyntaxNode?)accessor.Body ?? accessor.ExpressionBody).FirstOrDefault(body => body is not null);

    private static bool IsIn(IEnumerable<SyntaxTrivia> trivia) =>
        trivia.Where(SourceFile.IsComment).Any(comment => Form().IsMatch(comment.ToString()));

    [GeneratedRegex(@"^//\s*SAFETY:\s*\S+\s+\S+\s+\S+")]
    private static partial Regex Form();
}
