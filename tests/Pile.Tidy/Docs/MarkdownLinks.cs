using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Pile.Tidy.Docs;

/// <summary>Finds the links of a Markdown text that point into the repository and reach nothing.</summary>
internal static partial class MarkdownLinks
{
    /// <summary>Returns each dead link of the document at <paramref name="path"/>; <paramref name="read"/> gives a file's text, or null.</summary>
    public static IEnumerable<string> Dead(string path, string text, Func<string, string?> read)
    {
        foreach (Match match in Link().Matches(WithoutCode(text)))
        {
            string target = match.Groups["target"].Value;
            if (target.Contains(':', StringComparison.Ordinal))
            {
                continue; // another site, or mail
            }
            string[] parts = target.Split('#', 2);
            string file = parts[0].Length == 0 ? path : Resolve(path, parts[0]);
            string? found = file == path ? text : read(file);
            if (found is null)
            {
                yield return $"{path}: [{target}] reaches no file.";
            }
            else if (parts.Length == 2 && !Anchors(found).Contains(parts[1]))
            {
                yield return $"{path}: [{target}] reaches no heading.";
            }
        }
    }

    private static string Resolve(string path, string target)
    {
        string folder = Path.GetDirectoryName(path) ?? "";
        return Path.GetRelativePath("/", Path.GetFullPath(Path.Combine("/", folder, target))).Replace('\\', '/');
    }

    private static HashSet<string> Anchors(string text) =>
        [.. Heading().Matches(WithoutFences(text)).Select(match => NotInAnchors().Replace(match.Groups["title"].Value.Trim().ToLowerInvariant(), "").Replace(' ', '-'))];

    private static string WithoutCode(string text) => Code().Replace(WithoutFences(text), "");

    private static string WithoutFences(string text) => Fenced().Replace(text, "");

    [GeneratedRegex(@"\[[^\]]*\]\((?<target>[^)\s]+)[^)]*\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^#{1,6}\s+(?<title>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^a-z0-9 _-]")]
    private static partial Regex NotInAnchors();

    [GeneratedRegex(@"^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fenced();

    [GeneratedRegex(@"`[^`\n]*`")]
    private static partial Regex Code();
}
