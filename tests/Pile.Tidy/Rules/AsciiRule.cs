using System.Collections.Generic;
using Pile.Tidy.Source;

namespace Pile.Tidy.Rules;

/// <summary>Source is ASCII: what a reader sees is what the compiler reads.</summary>
internal sealed class AsciiRule : IRule
{
    public string Name => "ascii";

    public IReadOnlyList<Planted> Plantings { get; } =
    [
        new("src/Pile/A.cs", "// an arrow \u2192\nclass A;\n", 1),
        new("src/Pile/A.cs", "// a byte order mark is no letter\nclass A;\n", 0),
    ];

    public IEnumerable<Violation> Check(SourceFile file, IReadOnlyList<SourceFile> all)
    {
        for (int line = 0; line < file.Lines.Length; line++)
        {
            foreach (char letter in file.Lines[line])
            {
                if (letter > '~' || (letter < ' ' && letter is not '\t' and not '\r'))
                {
                    yield return new(Name, file.RelativePath, line + 1, $"U+{(int)letter:X4}: write it as an escape.");
                    break;
                }
            }
        }
    }
}
