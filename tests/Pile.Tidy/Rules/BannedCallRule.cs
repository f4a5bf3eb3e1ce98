using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>Calls that make a run depend on the clock, on chance or on the machine, each with its replacement.</summary>
internal sealed class BannedCallRule : IRule
{
    public string Name => "banned call";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        .. BannedCall.All.Select(ban => new Planted("src/Pile/A.cs", $"class A {{ object X = {ban.Type}.{ban.Members.FirstOrDefault() ?? "Any"}; }}", 1)),
        new("src/Pile/A.cs", "class A { object X = System.DateTime.UtcNow; }", 1),
        new("src/Pile/A.cs", "using static System.Console;\nclass A;", 1),
        new("src/Pile/A.cs", "class A { object X = new System.Diagnostics.Stopwatch(); }", 1),
        new("tests/Pile.Tests/A.cs", "class A { object X = new Random" + "(); }", 1),
        new("tests/Pile.Tests/A.cs", "class A { Random X = new(); }", 1),
        new("tests/Pile.Tests/A.cs", "class A { void M() { System.Random x = new(); } }", 1),
        new("tests/Pile.Tests/A.cs", "class A { Random X = new(7); void M() { GC.Collect(); object y = new Random(8); } }", 0),
        new("bench/Pile.Soak/A.cs", "class A { void M() { Thread.Sleep" + "(1); Console.WriteLine(); } Stopwatch X; }", 0),
        new("src/Pile/A.cs", "class A { bool X = BitConverter.IsLittleEndian; object Y = BitConverter.DoubleToInt64Bits(1); }", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        foreach (BannedCall ban in BannedCall.All.Where(ban => ban.Where(file)))
        {
            foreach (SyntaxNode use in Uses(ban, file.Root))
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(use), $"{use}: use {ban.Instead}.");
            }
        }
        foreach (SyntaxNode creation in file.Root.DescendantNodes().Where(IsUnseededRandom))
        {
            yield return new(Name, file.RelativePath, SourceFile.LineOf(creation), $"{creation}: use new Random(seed), with the seed printed.");
        }
    }

    private static IEnumerable<SyntaxNode> Uses(BannedCall ban, SyntaxNode root)
    {
        IEnumerable<SyntaxNode> usings = root.DescendantNodes().OfType<UsingDirectiveSyntax>()
            .Where(directive => directive.StaticKeyword.IsKind(SyntaxKind.StaticKeyword) || directive.Alias is not null)
            .Where(directive => SyntaxNames.Rightmost(directive.NamespaceOrType) == ban.Type);
        IEnumerable<SyntaxNode> accesses = SyntaxNames.Accesses(root)
            .Where(access => ban.Covers(access.Type, access.Member))
            .Select(access => access.Node);
        IEnumerable<SyntaxNode> types = root.DescendantNodes().OfType<IdentifierNameSyntax>()
            .Where(name => ban.Members.Length == 0 && name.Identifier.ValueText == ban.Type)
            .Where(name => name.Ancestors().FirstOrDefault(node => node is not (QualifiedNameSyntax or MemberAccessExpressionSyntax)) is not UsingDirectiveSyntax)
            .Where(name => !(name.Parent is MemberAccessExpressionSyntax access && (access.Expression == name || access.Parent is MemberAccessExpressionSyntax)));
        return usings.Concat(accesses).Concat(types);
    }

    private static bool IsUnseededRandom(SyntaxNode node) => node switch
    {
        ObjectCreationExpressionSyntax creation => IsRandom(creation.Type) && creation.ArgumentList is not { Arguments.Count: > 0 },
        ImplicitObjectCreationExpressionSyntax creation => creation.ArgumentList.Arguments.Count == 0 && IsRandom(DeclaredType(creation)),
        _ => false,
    };

    private static bool IsRandom(TypeSyntax? type) => SyntaxNames.Rightmost(type) == nameof(Random);

    private static TypeSyntax? DeclaredType(ImplicitObjectCreationExpressionSyntax creation) => creation.Parent?.Parent switch
    {
        VariableDeclaratorSyntax variable => (variable.Parent as VariableDeclarationSyntax)?.Type,
        PropertyDeclarationSyntax property => property.Type,
        _ => (creation.Parent?.Parent?.Parent as VariableDeclarationSyntax)?.Type,
    };
}
