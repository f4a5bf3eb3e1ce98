using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Pile.Server.Tests.Docs;

/// <summary>docs/SERVER.md: its tables and its blocks.</summary>
internal static class ServerDocument
{
    private static readonly string[] _lines = File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "SERVER.md"));

    internal static IReadOnlyList<string> Lines => _lines;

    /// <summary>The rows of the tables with a head cell of this name, below a heading where one is given.</summary>
    internal static string[][] Rows(string head, string? heading = null)
    {
        List<string[]> rows = [];
        bool isBelow = heading is null;
        bool isWanted = false;
        foreach (string line in _lines)
        {
            if (heading is not null && line.StartsWith('#'))
            {
                isBelow = line.TrimStart('#', ' ') == heading;
            }

            string[]? cells = line.StartsWith('|') ? [.. line.Trim('|').Split('|').Select(static cell => cell.Trim())] : null;
            if (cells is null)
            {
                isWanted = false;
            }
            else if (isWanted && cells[0].Trim('-').Length > 0)
            {
                rows.Add(cells);
            }
            else if (cells[0] == head)
            {
                isWanted = isBelow;
            }
        }

        return [.. rows];
    }

    /// <summary>The one block of a language.</summary>
    internal static string Block(string language)
    {
        int begin = Array.IndexOf(_lines, "```" + language);
        return string.Join('\n', _lines.Skip(begin + 1).TakeWhile(static line => line != "```"));
    }
}
