using System.Collections.Generic;
using System.Linq;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>A file is one concept and can be read in one sitting.</summary>
internal sealed class FileLengthRule : IRule
{
    public const int FileLinesMax = 400;

    public string Name => "size";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", string.Concat(Enumerable.Repeat("// line\n", FileLinesMax + 1)), 1),
        new("src/Pile/A.cs", string.Concat(Enumerable.Repeat("// line\n", FileLinesMax)), 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        if (file.Lines.Length > FileLinesMax)
        {
            yield return new(Name, file.RelativePath, FileLinesMax + 1,
                $"{file.Lines.Length} lines, at most {FileLinesMax}: split it by concept.");
        }
    }
}
