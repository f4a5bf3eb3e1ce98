using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>Usings stand as dotnet format sorts them: namespaces, then static ones, then aliases; among namespaces those of System first.
/// The build reports what else dotnet format would change.</summary>
internal sealed class UsingOrderRule : IRule
{
    public string Name => "using order";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "using Xunit;\nusing System;\n", 1),
        new("src/Pile/A.cs", "using System.IO;\nusing System;\n", 1),
        new("src/Pile/A.cs", "using Pile.Format;\nusing Pile.Epochs;\n", 1),
        new("src/Pile/A.cs", "using static System.Math;\nusing System;\n", 1),
        new("src/Pile/A.cs", "using A = System.Int32;\nusing System;\n", 1),
        new("src/Pile/A.cs", "using System;\nusing System.IO;\nusing System.IO.Pipes;\nusing Pile.Format;\nusing Xunit;\nusing static System.Math;\nusing A = System.Int32;\n", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        UsingDirectiveSyntax[] usings = [.. file.Tree.GetRoot().ChildNodes().OfType<UsingDirectiveSyntax>()];
        for (int index = 1; index < usings.Length; index++)
        {
            if (Compare(usings[index - 1], usings[index]) > 0)
            {
                yield return new(Name, file.RelativePath, usings[index].GetLocation().GetLineSpan().StartLinePosition.Line + 1,
                    $"'{usings[index]}' stands behind '{usings[index - 1]}': run dotnet format.");
            }
        }
    }

    private static int Compare(UsingDirectiveSyntax one, UsingDirectiveSyntax other)
    {
        int kinds = KindOf(one).CompareTo(KindOf(other));
        if (kinds != 0)
        {
            return kinds;
        }

        string[] parts = PartsOf(one);
        string[] others = PartsOf(other);
        int system = (others[0] == "System").CompareTo(parts[0] == "System");
        for (int part = 0; system == 0 && part < parts.Length && part < others.Length; part++)
        {
            system = string.Compare(parts[part], others[part], StringComparison.OrdinalIgnoreCase);
        }

        return system != 0 ? system : parts.Length.CompareTo(others.Length);
    }

    private static int KindOf(UsingDirectiveSyntax directive) =>
        directive.Alias is not null ? 2 : directive.StaticKeyword.RawKind != 0 ? 1 : 0;

    private static string[] PartsOf(UsingDirectiveSyntax directive) =>
        (directive.Alias?.Name.ToString() ?? directive.NamespaceOrType.ToString()).Split('.');
}
