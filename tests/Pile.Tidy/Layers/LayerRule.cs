using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Layers;

/// <summary>Inside src/Pile, usings and qualified names point down only.</summary>
internal sealed class LayerRule : IRule
{
    public string Name => "layers";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/Memory/A.cs", "using Pile.Table;\nnamespace Pile.Memory;\nclass A;", 1),
        new("src/Pile/Memory/A.cs", "using static Pile.Table.Entry;\nnamespace Pile.Memory;\nclass A;", 1),
        new("src/Pile/Memory/A.cs", "using E = Pile.Table.Entry;\nnamespace Pile.Memory;\nclass A;", 1),
        new("src/Pile/Memory/A.cs", "namespace Pile.Memory;\nclass A { Pile.Table.Entry X; }", 1),
        new("src/Pile/Memory/A.cs", "namespace Pile.Memory;\nclass A { Table.Entry X; }", 1),
        new("src/Pile/Memory/A.cs", "namespace Pile.Memory;\nclass A { object X = global::Pile.Table.Entry.Zero; }", 1),
        new("src/Pile/Cleaning/A.cs", "namespace Pile.Cleaning;\nclass A { A(ObjectPile pile) { } }", 1),
        new("src/Pile/Attic/A.cs", "namespace Pile.Attic;\nclass A;", 1),
        new("src/Pile/Codecs/A.cs", "using Pile.Segments;\nnamespace Pile.Codecs;\nclass A;", 1),
        new("src/Pile/Cleaning/Policy/A.cs", "using System;\nusing Pile.Segments;\nusing Pile.Cleaning.Policy;\nnamespace Pile.Cleaning.Policy;\nclass A { PilePointer X; Pile.PileStatus Y; }", 0),
        new("src/Pile/Primitives/A.cs", "namespace Pile.Primitives;\nclass A { string X = nameof(ObjectPile); }", 0),
        new("src/Pile/A.cs", "using Pile.Persistence;\nnamespace Pile;\nclass A { ObjectPile X; }", 0),
        new("src/Pile/Memory/A.cs", "namespace Pile.Memory;\nclass A { object X = Table.Length; /* Table is a field */ }", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        if (!file.IsUnder("src/Pile") || file.FoldersInProject.Length == 0)
        {
            yield break;
        }
        string room = file.FoldersInProject[0];
        string[]? mayUse = LayerTable.Rooms.FirstOrDefault(entry => entry.Room == room).MayUse;
        if (mayUse is null)
        {
            yield return new(Name, file.RelativePath, 1, $"the room {room} is not in {nameof(LayerTable)}: add it with what it may use.");
            yield break;
        }
        foreach (SyntaxNode node in file.Root.DescendantNodes(node => !IsDotted(node)))
        {
            string? used = RoomNamedBy(node);
            if (used is not null && used != room && !mayUse.Contains(used))
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(node),
                    $"{room} names {used}, but may use only: {(mayUse.Length == 0 ? "nothing" : string.Join(", ", mayUse))}.");
            }
            if (node is IdentifierNameSyntax name && LayerTable.TopTypes.Contains(name.Identifier.ValueText) && !IsInNameof(name))
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(node), $"{room} names {name.Identifier.ValueText}, which stands above it.");
            }
        }
    }

    // A message may say the name of what the caller holds.
    private static bool IsInNameof(IdentifierNameSyntax name) =>
        name.Parent?.Parent?.Parent is InvocationExpressionSyntax call && SyntaxNames.Rightmost(call.Expression) == "nameof";

    // Left of the dot only whole names are of interest: Pile.Table.Entry once, not again as Pile.Table.
    private static bool IsDotted(SyntaxNode node) => node is QualifiedNameSyntax or MemberAccessExpressionSyntax && SyntaxNames.Parts(node).Count > 0;

    private static string? RoomNamedBy(SyntaxNode node)
    {
        IReadOnlyList<string> parts = SyntaxNames.Parts(node);
        if (parts.Count < 2 || node.Parent is BaseNamespaceDeclarationSyntax)
        {
            return null;
        }
        // Pile.Table.Entry anywhere; Table.Entry only as a type, because a member may be called Table.
        string candidate = parts[0] == "Pile" ? parts[1] : node is QualifiedNameSyntax ? parts[0] : "";
        return Array.Exists(LayerTable.Rooms, entry => entry.Room == candidate) ? candidate : null;
    }
}
