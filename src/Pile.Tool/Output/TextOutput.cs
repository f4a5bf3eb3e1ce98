// Plain text in lines, pairs and tables, fitted to a width: that of the terminal, or of the variable COLUMNS, or none where the text
// goes to a file or a program. A table that is too wide is written as one block of pairs a row, so that nothing is cut off.
using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Pile.Tool.Output;

/// <summary>Text for people. One thread.</summary>
/// <param name="target">Where to.</param>
/// <param name="width">Characters of a line; 0 for no limit.</param>
internal sealed class TextOutput(TextWriter target, int width)
{
    private const int Gap = 2;
    private const int WidthMin = 20;
    private readonly int _width = width == 0 ? int.MaxValue : int.Max(width, WidthMin);

    /// <summary>Characters of a line.</summary>
    internal int Width => _width;

    /// <summary>An empty line.</summary>
    internal void Line() => target.WriteLine();

    /// <summary>A sentence, broken where it does not fit.</summary>
    internal void Line(string text, int indent = 0)
    {
        foreach (string line in Wrap(Clean(text), _width - indent))
        {
            target.WriteLine(new string(' ', indent) + line);
        }
    }

    /// <summary>A line that is cut where it does not fit: of pictures and trees.</summary>
    internal void Cut(string text)
    {
        text = Clean(text);
        target.WriteLine(text.Length <= _width ? text : string.Concat(text.AsSpan(0, _width - 2), ".."));
    }

    /// <summary>A line as it is, whatever the width: of scripts.</summary>
    internal void Whole(string text) => target.WriteLine(text);

    /// <summary>Names and values, the values in a column.</summary>
    internal void Pairs(IReadOnlyList<(string Name, string Value)> pairs)
    {
        int column = Gap;
        foreach ((string name, _) in pairs)
        {
            column = int.Max(column, name.Length + Gap);
        }

        column = int.Min(column, _width / 2);
        foreach ((string name, string value) in pairs)
        {
            string start = name.PadRight(column);
            foreach (string line in Wrap(Clean(value), _width - column))
            {
                target.WriteLine((start + line).TrimEnd());
                start = new string(' ', column);
            }
        }
    }

    /// <summary>A table. A heading that begins with &gt; is of a column of numbers.</summary>
    internal void Table(IReadOnlyList<string> headings, IReadOnlyList<string[]> rows)
    {
        int[] widths = new int[headings.Count];
        int total = -Gap;
        for (int column = 0; column < widths.Length; column++)
        {
            widths[column] = headings[column].TrimStart('>').Length;
            foreach (string[] row in rows)
            {
                widths[column] = int.Max(widths[column], Clean(row[column]).Length);
            }

            total += widths[column] + Gap;
        }

        if (total > _width)
        {
            Blocks(headings, rows);
            return;
        }

        Row([.. Bare(headings)], headings, widths);
        foreach (string[] row in rows)
        {
            Row(row, headings, widths);
        }
    }

    private void Row(string[] cells, IReadOnlyList<string> headings, int[] widths)
    {
        StringBuilder line = new();
        for (int column = 0; column < widths.Length; column++)
        {
            string cell = Clean(cells[column]);
            _ = line.Append(headings[column][0] == '>' ? cell.PadLeft(widths[column]) : cell.PadRight(widths[column]));
            _ = line.Append(' ', column < widths.Length - 1 ? Gap : 0);
        }

        target.WriteLine(line.ToString().TrimEnd());
    }

    private void Blocks(IReadOnlyList<string> headings, IReadOnlyList<string[]> rows)
    {
        bool isFirst = true;
        List<(string, string)> pairs = [];
        foreach (string[] row in rows)
        {
            if (!isFirst)
            {
                Line();
            }

            isFirst = false;
            pairs.Clear();
            int column = 0;
            foreach (string heading in Bare(headings))
            {
                pairs.Add((heading, row[column++]));
            }

            Pairs(pairs);
        }
    }

    private static IEnumerable<string> Bare(IReadOnlyList<string> headings)
    {
        foreach (string heading in headings)
        {
            yield return heading.TrimStart('>');
        }
    }

    private static IEnumerable<string> Wrap(string text, int columns)
    {
        columns = int.Max(columns, 1);
        while (text.Length > columns)
        {
            int space = text.LastIndexOf(' ', columns, columns + 1);
            int end = space > 0 ? space : columns;
            yield return text[..end];
            text = text[end..].TrimStart(' ');
        }

        yield return text;
    }

    /// <summary>The beginning of a long text, which parts no surrogate pair.</summary>
    /// <param name="text">A text of more chars.</param>
    /// <param name="chars">So many of them, or one less.</param>
    internal static string Head(string text, int chars) => text[..(char.IsSurrogatePair(text, chars - 1) ? chars - 1 : chars)];

    /// <summary>Text of several lines for a terminal: line ends and tabs stay.</summary>
    internal static string Lines(string text) => Clean(text, keepsLines: true);

    /// <summary>What is stored may hold anything: control characters are not for the terminal.</summary>
    internal static string Clean(string text, bool keepsLines = false)
    {
        int first = text.AsSpan().IndexOfAnyInRange('\0', '\u001F');
        if (first < 0 && text.AsSpan().IndexOfAnyInRange('\u007F', '\u009F') < 0)
        {
            return text;
        }

        StringBuilder clean = new(text.Length + 8);
        foreach (char letter in text)
        {
            _ = letter switch
            {
                '\n' or '\t' when keepsLines => clean.Append(letter),
                '\n' => clean.Append("\\n"),
                '\r' => clean.Append("\\r"),
                '\t' => clean.Append("\\t"),
                _ when char.IsControl(letter) => clean.Append("\\u").Append(((int)letter).ToString("X4", System.Globalization.CultureInfo.InvariantCulture)),
                _ => clean.Append(letter),
            };
        }

        return clean.ToString();
    }
}
