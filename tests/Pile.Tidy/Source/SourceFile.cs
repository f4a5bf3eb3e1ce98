using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Pile.Tidy.Source;

/// <summary>One C# file and its syntax tree; what a rule is given.</summary>
internal sealed class SourceFile
{
    private static readonly CSharpParseOptions _options = new(LanguageVersion.Preview, DocumentationMode.None);

    public SourceFile(string path, string text)
    {
        RelativePath = path;
        Text = text;
        Tree = CSharpSyntaxTree.ParseText(text, _options, path);
        Root = Tree.GetCompilationUnitRoot();
        Lines = text.TrimEnd('\n').Split('\n');
    }

    /// <summary>Relative to the repository's root, with forward slashes.</summary>
    public string RelativePath { get; }

    public string Text { get; }

    public string[] Lines { get; }

    public SyntaxTree Tree { get; }

    public CompilationUnitSyntax Root { get; }

    public string Name => Path.GetFileNameWithoutExtension(RelativePath);

    /// <summary>"src", "tests", "bench" or "samples".</summary>
    public string Area => Folders[0];

    /// <summary>The folder of the project: "Pile" for <c>src/Pile/Table/X.cs</c>; the file itself when there is none.</summary>
    public string Project => RelativePath.Split('/')[1];

    /// <summary>The folders below the project: "Table" for <c>src/Pile/Table/X.cs</c>.</summary>
    public string[] FoldersInProject => Folders.Length > 2 ? Folders[2..] : [];

    private string[] Folders => RelativePath.Split('/')[..^1];

    public bool IsUnder(string folder) => RelativePath.StartsWith(folder + "/", StringComparison.Ordinal);

    public static int LineOf(SyntaxNode node) => node.GetLocation().GetLineSpan().StartLinePosition.Line + 1;

    public static int LineOf(SyntaxToken token) => token.GetLocation().GetLineSpan().StartLinePosition.Line + 1;

    public static int LineOf(SyntaxTrivia trivia) => trivia.GetLocation().GetLineSpan().StartLinePosition.Line + 1;

    /// <summary>Every comment of the file, documentation included.</summary>
    public IEnumerable<SyntaxTrivia> Comments() => Root.DescendantTrivia().Where(IsComment);

    /// <summary>The types that stand directly in a namespace or in the file.</summary>
    public IEnumerable<MemberDeclarationSyntax> TopLevelTypes() =>
        Root.DescendantNodes(node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
            .OfType<MemberDeclarationSyntax>()
            .Where(member => member is BaseTypeDeclarationSyntax or DelegateDeclarationSyntax);

    public static bool IsComment(SyntaxTrivia trivia) =>
        trivia.Kind() is SyntaxKind.SingleLineCommentTrivia or SyntaxKind.MultiLineCommentTrivia
            or SyntaxKind.SingleLineDocumentationCommentTrivia or SyntaxKind.MultiLineDocumentationCommentTrivia;
}
