using System;
using System.Collections.Generic;
using System.Linq;

namespace Pile.Tidy.Snippets;

/// <summary>Reads the fenced C# blocks of a Markdown text, each with the output block that follows it.</summary>
internal static class MarkdownSnippets
{
    private const string Fence = "```";
    private const string OutputMark = "<!-- output -->";

    public static IReadOnlyList<Snippet> Read(string path, string text)
    {
        string[] lines = text.ReplaceLineEndings("\n").Split('\n');
        List<Snippet> snippets = [];
        int line = 0;
        while (line < lines.Length)
        {
            string[] info = lines[line].StartsWith(Fence, StringComparison.Ordinal) ? lines[line].Trim('`').Split(' ') : [];
            if (info.Length == 0)
            {
                line++;
                continue;
            }
            int first = line + 1;
            int end = EndOfBlock(lines, first);
            line = end + 1;
            if (info[0] is "csharp" or "cs" or "c#")
            {
                string code = string.Join('\n', lines[first..end]);
                snippets.Add(new(path, first + 1, code, !info.Contains("no-run"), OutputAfter(lines, line)));
            }
        }
        return snippets;
    }

    private static int EndOfBlock(string[] lines, int first)
    {
        int end = Array.FindIndex(lines, first, line => line.TrimEnd() == Fence);
        return end < 0 ? lines.Length : end;
    }

    private static string? OutputAfter(string[] lines, int line)
    {
        string[] rest = [.. lines.Skip(line).SkipWhile(string.IsNullOrWhiteSpace)];
        if (rest.FirstOrDefault()?.Trim() != OutputMark)
        {
            return null;
        }
        string[] block = [.. rest.Skip(1).SkipWhile(string.IsNullOrWhiteSpace)];
        return block.FirstOrDefault()?.StartsWith(Fence, StringComparison.Ordinal) == true ? string.Join('\n', block[1..EndOfBlock(block, 1)]) : null;
    }
}
