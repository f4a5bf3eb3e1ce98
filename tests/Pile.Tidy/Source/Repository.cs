using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;

namespace Pile.Tidy.Source;

/// <summary>The working tree that this test assembly was built from: its root and the files that belong to it.</summary>
internal static class Repository
{
    private static readonly string[] _foldersOfTools =
        [".git", ".vs", "bin", "obj", "artifacts", "node_modules", "TestResults", "BenchmarkDotNet.Artifacts"];

    /// <summary>The folder that holds <c>Pile.sln</c>, looked for upwards from this assembly.</summary>
    public static string Root { get; } = FindRoot(AppContext.BaseDirectory);

    /// <summary>Every file that is tracked or could be added, relative to the root, with forward slashes, sorted.</summary>
    public static IReadOnlyList<string> Files { get; } = ListFiles();

    /// <summary>Every C# file of src, tests, bench and samples.</summary>
    public static IReadOnlyList<SourceFile> Sources { get; } =
        [.. Files.Where(IsSource).Select(path => new SourceFile(path, File.ReadAllText(FullPath(path))))];

    /// <summary>Returns the full path of <paramref name="path"/>, which is relative to the root.</summary>
    public static string FullPath(string path) => Path.Combine(Root, path);

    private static bool IsSource(string path) =>
        path.EndsWith(".cs", StringComparison.Ordinal) && path.Split('/')[0] is "src" or "tests" or "bench" or "samples";

    private static string FindRoot(string start)
    {
        for (DirectoryInfo? folder = new(start); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Pile.sln")))
            {
                return folder.FullName;
            }
        }
        throw new DirectoryNotFoundException($"No Pile.sln in {start} or above it.");
    }

    private static List<string> ListFiles() =>
        [.. (AskGit() ?? WalkFolders()).Where(path => File.Exists(FullPath(path))).Order(StringComparer.Ordinal)];

    private static List<string>? AskGit()
    {
        if (!Path.Exists(FullPath(".git")))
        {
            return null;
        }
        ProcessStartInfo start = new("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        {
            WorkingDirectory = Root,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            using Process? process = Process.Start(start);
            string output = process?.StandardOutput.ReadToEnd() ?? "";
            process?.WaitForExit();
            return process?.ExitCode == 0 ? [.. output.Split('\0', StringSplitOptions.RemoveEmptyEntries)] : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null; // no git here: the folders are walked
        }
    }

    private static IEnumerable<string> WalkFolders() =>
        Directory.EnumerateFiles(Root, "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(Root, path).Replace('\\', '/'))
            .Where(path => !path.Split('/').Any(_foldersOfTools.Contains));
}
