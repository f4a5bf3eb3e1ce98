using System;
using System.Linq;
using System.Text.RegularExpressions;
using Xunit;

namespace Pile.Programs.Tests.Languages;

/// <summary>What docs/LANGUAGES.md shows is the text of the samples that the tests run.</summary>
public sealed partial class LanguagesDocumentTests
{
    private static readonly string _document = RepositoryFiles.Read("docs/LANGUAGES.md");

    [Fact]
    public void EachPieceOfCodeStandsInTheFileThatIsNamedAboveIt()
    {
        MatchCollection pieces = Piece().Matches(_document);
        Assert.Equal(Fence().Count(_document), pieces.Count);
        Assert.All(pieces, static piece => Assert.True(
            StandsIn(RepositoryFiles.Read(piece.Groups["path"].Value), piece.Groups["code"].Value), $"Not in {piece.Groups["path"].Value}:\n{piece.Groups["code"].Value}"));
    }

    [Theory]
    [InlineData("a\n    b\n\n      c\n", "b\n\n  c\n", true)]
    [InlineData("a\n    b\n\n    c\n", "b\n\n  c\n", false)]
    [InlineData("ab\n", "b\n", false)]
    public void APieceMayStandThereIndented(string file, string piece, bool stands) => Assert.Equal(stands, StandsIn(file, piece));

    private static bool StandsIn(string file, string code)
    {
        string[] lines = file.Split('\n');
        string[] wanted = code.TrimEnd('\n').Split('\n');
        return Enumerable.Range(0, Math.Max(lines.Length - wanted.Length + 1, 0)).Any(first =>
        {
            string indent = lines[first][..(lines[first].Length - lines[first].TrimStart(' ').Length)];
            return wanted.Index().All(line => lines[first + line.Index] == (line.Item.Length == 0 ? "" : indent + line.Item));
        });
    }

    [GeneratedRegex("<!-- (?<path>samples/Languages/.+?) -->\n```(?:js|python|csharp no-run)\n(?<code>.+?\n)```\n", RegexOptions.Singleline)]
    private static partial Regex Piece();

    [GeneratedRegex("^```(?!text)[a-z]", RegexOptions.Multiline)]
    private static partial Regex Fence();
}
