using System;
using System.IO;

namespace PackageGraph;

/// <summary>Where files go: where the user said, else to artifacts of the repository around, else beside the user.</summary>
internal static class PageFile
{
    private const string Name = "package-graph.html";

    /// <summary>Writes a file and its folder.</summary>
    /// <returns>Its full path.</returns>
    internal static string Write(string? path, string text)
    {
        string full = Path.GetFullPath(path ?? Path.Combine(DefaultFolder(), Name));
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllText(full, text);
        return full;
    }

    private static string DefaultFolder()
    {
        for (DirectoryInfo? folder = new(Environment.CurrentDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Pile.sln")))
            {
                return Path.Combine(folder.FullName, "artifacts");
            }
        }

        return Environment.CurrentDirectory;
    }
}
