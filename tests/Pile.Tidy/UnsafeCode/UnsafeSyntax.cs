using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.UnsafeCode;

/// <summary>Finds what goes round the checks of the runtime, by its syntax.</summary>
internal static class UnsafeSyntax
{
    /// <summary>Types whose members go round the checks, and their members that do not.</summary>
    private static readonly Dictionary<string, string[]> _rawTypes = new()
    {
        ["NativeMemory"] = [],
        ["Unsafe"] = ["SizeOf"],
        ["Marshal"] = ["SizeOf", "GetLastPInvokeError", "GetLastSystemError", "GetPInvokeErrorMessage", "SetLastPInvokeError"],
        ["MemoryMarshal"] = ["AsBytes", "Cast", "AsRef", "Read", "Write", "TryRead", "TryWrite", "TryGetArray"],
    };

    private static readonly string[] _foreignAttributes = ["DllImport", "LibraryImport"];

    /// <summary>Returns each unsafe thing in <paramref name="root"/> with the name that a message gives it.</summary>
    public static IEnumerable<(SyntaxNodeOrToken Where, string What)> Find(SyntaxNode root) =>
        FindTokens(root).Concat(FindNodes(root)).Concat(FindAccesses(root));

    private static IEnumerable<(SyntaxNodeOrToken Where, string What)> FindTokens(SyntaxNode root)
    {
        foreach (SyntaxToken token in root.DescendantTokens())
        {
            if (token.Kind() is SyntaxKind.UnsafeKeyword or SyntaxKind.FixedKeyword)
            {
                yield return (token, $"`{token.ValueText}`");
            }
        }
    }

    private static IEnumerable<(SyntaxNodeOrToken Where, string What)> FindNodes(SyntaxNode root)
    {
        foreach (SyntaxNode node in root.DescendantNodesAndSelf())
        {
            string? what = node.Kind() switch
            {
                SyntaxKind.PointerType => "a pointer type",
                SyntaxKind.FunctionPointerType => "a function pointer type",
                SyntaxKind.AddressOfExpression => "`&`",
                SyntaxKind.PointerIndirectionExpression => "`*p`",
                SyntaxKind.PointerMemberAccessExpression => "`->`",
                SyntaxKind.Attribute => DescribeAttribute((AttributeSyntax)node),
                SyntaxKind.UsingDirective => DescribeUsing((UsingDirectiveSyntax)node),
                _ => null,
            };
            if (what is not null)
            {
                yield return (node, what);
            }
        }
    }

    private static IEnumerable<(SyntaxNodeOrToken Where, string What)> FindAccesses(SyntaxNode root)
    {
        foreach ((SyntaxNode node, string type, string member) in SyntaxNames.Accesses(root))
        {
            if (_rawTypes.TryGetValue(type, out string[]? harmless) && !harmless.Contains(member))
            {
                yield return (node, $"`{type}.{member}`");
            }
        }
    }

    private static string? DescribeAttribute(AttributeSyntax attribute)
    {
        string name = SyntaxNames.Rightmost(attribute.Name).Replace("Attribute", "", StringComparison.Ordinal);
        return _foreignAttributes.Contains(name) ? $"`[{name}]`" : null;
    }

    // A static using or an alias would hide the type's name from the search above.
    private static string? DescribeUsing(UsingDirectiveSyntax directive)
    {
        string name = SyntaxNames.Rightmost(directive.NamespaceOrType);
        bool hidesTheName = directive.StaticKeyword.IsKind(SyntaxKind.StaticKeyword) || directive.Alias is not null;
        return hidesTheName && _rawTypes.ContainsKey(name) ? $"`using static {name}`" : null;
    }
}
