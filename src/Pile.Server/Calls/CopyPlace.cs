// Where Admin.Copy makes its copies. Whether it can is found out when the server starts: the first copy may be the one that a backup at night
// needs. What becomes of the directory later is told by the copy.
using System;
using System.IO;
using Microsoft.Extensions.Options;
using Pile.Server.Settings;

namespace Pile.Server.Calls;

/// <summary>The directory of copies.</summary>
internal static class CopyPlace
{
    /// <summary>Requires that copies can be made in a directory; makes it where it is missing.</summary>
    /// <param name="directory">The directory, as it was configured.</param>
    /// <exception cref="OptionsValidationException">They can't.</exception>
    internal static void Require(string directory)
    {
        try
        {
            string path = Path.GetFullPath(directory);
            for (string? above = path; above is not null; above = Path.GetDirectoryName(above))
            {
                if (PileInspection.IsPile(above))
                {
                    throw Mistake(directory, $"it lies within the pile of '{above}', whose directory holds nothing but its own files. Give one outside.");
                }
            }

            // As a copy begins. No copy has such a name.
            string probe = Path.Combine(path, ".pile-copy-" + Path.GetRandomFileName());
            _ = Directory.CreateDirectory(probe);
            Directory.Delete(probe);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw Mistake(directory, $"nothing can be made there: {failure.Message.ReplaceLineEndings(" ")}");
        }
    }

    private static OptionsValidationException Mistake(string directory, string why) => new(
        nameof(PileServerOptions), typeof(PileServerOptions), [$"{ServerSettings.Section}:{nameof(PileServerOptions.CopyDirectory)} = '{directory}' can't be used: {why}"]);
}
