// Bytes as people look at them: sixteen a line, or eight where the line is short, with their offset and their ASCII letters.
// Equal lines are not folded: what is shown is what is there.
using System;
using System.Globalization;
using System.Text;

namespace Pile.Tool.Output;

/// <summary>Hexadecimal dumps.</summary>
internal static class HexText
{
    private const int LineBytes = 16;
    private const int ShortLineBytes = 4;
    private const int LineColumns = 78;

    /// <summary>Writes bytes.</summary>
    /// <param name="text">Where to.</param>
    /// <param name="bytes">The bytes.</param>
    /// <param name="linesMax">So many lines at the most; returns how many bytes that left out.</param>
    internal static int Write(TextOutput text, ReadOnlySpan<byte> bytes, int linesMax = int.MaxValue)
    {
        int columns = text.Width >= LineColumns ? LineBytes : ShortLineBytes;
        StringBuilder line = new();
        int shown = (int)long.Min(bytes.Length, (long)linesMax * columns);
        for (int offset = 0; offset < shown; offset += columns)
        {
            ReadOnlySpan<byte> part = bytes.Slice(offset, int.Min(columns, bytes.Length - offset));
            _ = line.Clear().Append(CultureInfo.InvariantCulture, $"{offset:x8}  ");
            for (int index = 0; index < columns; index++)
            {
                _ = index < part.Length ? line.Append(CultureInfo.InvariantCulture, $"{part[index]:x2} ") : line.Append("   ");
                _ = line.Append(index == 7 ? " " : "");
            }

            _ = line.Append(' ');
            foreach (byte one in part)
            {
                _ = line.Append(one is >= 0x20 and < 0x7F ? (char)one : '.');
            }

            text.Cut(line.ToString().TrimEnd());
        }

        return bytes.Length - shown;
    }
}
