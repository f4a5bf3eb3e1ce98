// What Linux says of itself in /proc and /sys, as text. A file that is missing, or that this user may not read, is no answer: null.
// Below another root for tests.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace Pile.Tool.Health;

/// <summary>Files of the system.</summary>
/// <param name="root">What they are below: "/" but for tests.</param>
internal sealed class SystemFiles(string root)
{
    private const long KiB = 1024;

    /// <summary>A file's text without the line's end, or null.</summary>
    internal string? Text(string path)
    {
        try
        {
            return File.ReadAllText(root + path).Trim();
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>A file's lines; none where there is no file.</summary>
    internal IReadOnlyList<string> Lines(string path) => Text(path)?.Split('\n') ?? [];

    /// <summary>A file's number, or null: also where it says "max".</summary>
    internal long? Number(string path) => Parse(Text(path));

    /// <summary>A row of /proc/meminfo, in bytes.</summary>
    internal long? MemoryBytes(string row)
    {
        foreach (string line in Lines("proc/meminfo"))
        {
            string[] words = line.Split((char[])[':', ' '], StringSplitOptions.RemoveEmptyEntries);
            if (words.Length >= 2 && words[0] == row)
            {
                return Parse(words[1]) * KiB;
            }
        }

        return null;
    }

    /// <summary>A row of /proc/self/limits: the limit that holds and the one up to which a process may raise it; null for none.</summary>
    internal (long? Soft, long? Hard) Limit(string row)
    {
        foreach (string line in Lines("proc/self/limits"))
        {
            if (line.StartsWith(row, StringComparison.Ordinal))
            {
                string[] words = line[row.Length..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
                return words.Length >= 2 ? (Parse(words[0]), Parse(words[1])) : (null, null);
            }
        }

        return (null, null);
    }

    /// <summary>The choice of a file that lists all in a line, as "always [madvise] never"; null where there is none.</summary>
    internal string? Choice(string path) =>
        Text(path) is { } text && text.IndexOf('[', StringComparison.Ordinal) is >= 0 and var open && text.IndexOf(']', open) is > 0 and var close ? text[(open + 1)..close] : null;

    internal static long? Parse(string? text) => long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long value) ? value : null;
}
