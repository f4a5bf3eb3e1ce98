using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>A file of src opens with a few lines that say what it is about.</summary>
internal sealed class HeaderRule : IRule
{
    public const int HeaderLinesMin = 2;
    public const int HeaderLinesMax = 6;

    public string Name => "header";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "namespace Pile;\n", 1),
        new("src/Pile/A.cs", "// One line.\n\nnamespace Pile;\n", 1),
        new("src/Pile/A.cs", "\n// A blank line\n// before it.\nnamespace Pile;\n", 1),
        new("src/Pile/A.cs", "// 1\n// 2\n// 3\n// 4\n// 5\n// 6\n// 7\nnamespace Pile;\n", 1),
        new("src/Pile/A.cs", "// The concept,\n// in two lines.\n\nnamespace Pile;\n", 0),
        new("tests/Pile.Tests/A.cs", "namespace Pile.Tests;\n", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        int lines = file.Lines.TakeWhile(line => line.StartsWith("//", StringComparison.Ordinal)).Count();
        if (file.Area == "src" && (lines is < HeaderLinesMin or > HeaderLinesMax))
        {
            yield return new(Name, file.RelativePath, 1,
                $"opens with {lines} lines of comment, wanted {HeaderLinesMin} to {HeaderLinesMax}: the concept, what it does not do, its source.");
        }
    }
}
