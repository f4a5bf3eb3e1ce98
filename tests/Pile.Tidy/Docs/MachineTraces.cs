using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace Pile.Tidy.Docs;

/// <summary>What must not leave this machine: the hosts of its package registries and its paths. Read here and now, never written down.</summary>
internal static partial class MachineTraces
{
    private static readonly string[] _standardFolders =
        ["bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "private", "proc", "run", "srv", "sys", "tmp", "usr", "var"];

    /// <summary>The registry hosts of this machine's NuGet, npm, pip and apt configuration.</summary>
    public static IReadOnlyList<string> RegistryHosts() => Hosts(ConfigurationTexts());

    /// <summary>Returns the hosts named in <paramref name="configurations"/>, except this machine itself.</summary>
    public static IReadOnlyList<string> Hosts(IEnumerable<string> configurations) =>
    [
        .. configurations.SelectMany(text => Url().Matches(text)).Select(match => match.Groups["host"].Value)
            .Where(host => host.Contains('.', StringComparison.Ordinal) && !host.StartsWith("127.", StringComparison.Ordinal))
            .Distinct(StringComparer.OrdinalIgnoreCase)
            .Order(StringComparer.Ordinal),
    ];

    /// <summary>The folders that only this machine has: above the repository, and the user's own.</summary>
    public static IReadOnlyList<string> PathPrefixes(string root, string home) =>
        [.. new[] { FirstFolder(root), home.TrimEnd('/') + "/" }.Where(prefix => prefix.Length > 1).Distinct()];

    /// <summary>Returns every line of <paramref name="text"/> that names one of the hosts or starts a path with one of the prefixes.</summary>
    public static IEnumerable<string> Find(string path, string text, IReadOnlyList<string> hosts, IReadOnlyList<string> prefixes)
    {
        string[] lines = text.Split('\n');
        for (int line = 0; line < lines.Length; line++)
        {
            string? host = hosts.FirstOrDefault(host => lines[line].Contains(host, StringComparison.OrdinalIgnoreCase));
            string? prefix = prefixes.FirstOrDefault(prefix => Regex.IsMatch(lines[line], @"(^|[^\w.])" + Regex.Escape(prefix)));
            if (host is not null || prefix is not null)
            {
                yield return $"{path}({line + 1}): names {(host is not null ? "a package registry" : "a path")} of this machine.";
            }
        }
    }

    private static string FirstFolder(string root)
    {
        string? first = root.Split('/', StringSplitOptions.RemoveEmptyEntries).FirstOrDefault();
        return first is null || _standardFolders.Contains(first) ? "" : $"/{first}/";
    }

    private static IEnumerable<string> ConfigurationTexts()
    {
        string home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
        string[] files =
        [
            Path.Combine(home, ".nuget/NuGet/NuGet.Config"), Path.Combine(home, ".config/NuGet/NuGet.Config"), Path.Combine(home, ".npmrc"),
            Path.Combine(home, ".config/pip/pip.conf"), "/etc/npmrc", "/usr/etc/npmrc", "/etc/pip.conf", "/etc/apt/sources.list",
            .. FilesIn("/etc/apt/sources.list.d"), .. FilesIn("/etc/opt/NuGet/Config"), .. FilesIn(Path.Combine(home, ".nuget/config")),
        ];
        string[] variables = ["NPM_CONFIG_REGISTRY", "npm_config_registry", "PIP_INDEX_URL", "NUGET_SOURCE"];
        return files.Where(File.Exists).Select(TryRead).Concat(variables.Select(name => Environment.GetEnvironmentVariable(name) ?? ""));
    }

    private static string[] FilesIn(string folder) => Directory.Exists(folder) ? Directory.GetFiles(folder) : [];

    private static string TryRead(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (UnauthorizedAccessException)
        {
            return ""; // a file of the administrator names no registry that this user restores from
        }
    }

    [GeneratedRegex(@"https?://([^/@\s""']*@)?(?<host>[A-Za-z0-9.-]+)")]
    private static partial Regex Url();
}
