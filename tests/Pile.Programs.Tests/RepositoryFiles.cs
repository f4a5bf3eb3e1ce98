using System;
using System.IO;

namespace Pile.Programs.Tests;

/// <summary>Files of the repository that this assembly was built from.</summary>
internal static class RepositoryFiles
{
    /// <summary>The full path of a file.</summary>
    internal static string PathOf(string relative)
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Pile.sln")))
            {
                return Path.Combine(folder.FullName, relative);
            }
        }

        throw new DirectoryNotFoundException($"No Pile.sln above {AppContext.BaseDirectory}.");
    }

    /// <summary>The text of a file.</summary>
    internal static string Read(string relative) => File.ReadAllText(PathOf(relative));
}
