// Which file system a path is on, by /proc/self/mountinfo (proc(5)): the mount with the longest path above it, of equal ones the last.
// Spaces and the like stand there as \040.
using System;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Pile.Tool.Health;

/// <summary>Mounts.</summary>
internal static partial class MountTable
{
    // A row: id, parent, device, root, mount point, options, optional fields up to a "-", type, source, options of the file system.
    private const int MountPoint = 4;
    private const int Options = 5;

    /// <summary>A mount.</summary>
    /// <param name="Path">Where it is.</param>
    /// <param name="Type">The file system.</param>
    /// <param name="Source">What it is of.</param>
    /// <param name="Options">All of its options.</param>
    internal sealed record Mount(string Path, string Type, string Source, string[] Options);

    /// <summary>The mount that a path is on, or null where the table can't be read.</summary>
    internal static Mount? Of(SystemFiles files, string path)
    {
        Mount? best = null;
        foreach (string line in files.Lines("proc/self/mountinfo"))
        {
            string[] words = line.Split(' ');
            int dash = Array.IndexOf(words, "-", int.Min(Options + 1, words.Length));
            if (dash < 0 || dash + 3 >= words.Length)
            {
                continue;
            }

            string point = Plain(words[MountPoint]);
            bool isAbove = point == "/" || path == point || path.StartsWith(point + "/", StringComparison.Ordinal);
            if (isAbove && (best is null || point.Length >= best.Path.Length))
            {
                best = new Mount(point, words[dash + 1], Plain(words[dash + 2]), [.. words[Options].Split(','), .. words[dash + 3].Split(',')]);
            }
        }

        return best;
    }

    private static string Plain(string text) => Escape().Replace(text, static code => ((char)Convert.ToInt32(code.Groups[1].Value, 8)).ToString(CultureInfo.InvariantCulture));

    [GeneratedRegex(@"\\([0-7]{3})")]
    private static partial Regex Escape();
}
