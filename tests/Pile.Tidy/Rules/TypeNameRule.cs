using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>No type has the name of a namespace of ours: every use of it would need qualification.</summary>
internal sealed class TypeNameRule : IRule
{
    private static readonly (string Name, string Instead)[] _taken =
        [("Pile", "ObjectPile"), ("Cache", "PileCache"), ("Server", "PileServer")];

    public string Name => "type name";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/Pile.cs", "namespace Pile;\nclass Pile;", 1),
        new("src/Pile.Cache/Cache.cs", "namespace Pile.Cache;\nclass Cache<T>;", 1),
        new("src/Pile/ObjectPile.cs", "namespace Pile;\nclass ObjectPile;", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        foreach (BaseTypeDeclarationSyntax type in file.Root.DescendantNodes().OfType<BaseTypeDeclarationSyntax>())
        {
            foreach ((string name, string instead) in _taken.Where(entry => entry.Name == type.Identifier.ValueText))
            {
                yield return new(Name, file.RelativePath, SourceFile.LineOf(type.Identifier), $"{name} is a namespace: {instead}.");
            }
        }
    }
}
