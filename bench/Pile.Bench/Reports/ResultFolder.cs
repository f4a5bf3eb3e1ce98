using System;
using System.IO;

namespace Pile.Bench.Reports;

/// <summary>Where results lie: bench/results of the repository around, a folder a machine.</summary>
internal static class ResultFolder
{
    /// <summary>The path of a file of a machine's results.</summary>
    internal static string PathOf(Machine machine, string name) => Path.Combine(Root(), "bench", "results", machine.FolderName, name);

    /// <summary>Writes a file and its folder, and says so.</summary>
    internal static void WriteText(string path, string text)
    {
        if (Path.GetDirectoryName(Path.GetFullPath(path)) is { } folder)
        {
            Directory.CreateDirectory(folder);
        }

        File.WriteAllText(path, text);
        Console.WriteLine($"wrote {Path.GetRelativePath(Environment.CurrentDirectory, path)}");
    }

    /// <summary>The repository around the current folder.</summary>
    internal static string Root()
    {
        for (DirectoryInfo? folder = new(Environment.CurrentDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Pile.sln")))
            {
                return folder.FullName;
            }
        }

        throw new DirectoryNotFoundException("No Pile.sln in the current folder or above it: run from the repository; --json and --directory say where else results and files of piles go.");
    }
}
