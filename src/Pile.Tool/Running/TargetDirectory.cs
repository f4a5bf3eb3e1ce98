// The directory that a verb makes a new pile in. The library removes what it wrote when it fails or is stopped; this removes the
// directory too, if it was not there before. What is no part of that is never removed.
using System;
using System.IO;

namespace Pile.Tool.Running;

/// <summary>A new pile's directory.</summary>
internal static class TargetDirectory
{
    /// <summary>Lets a work make a pile in a directory; leaves no trace of one that it did not complete.</summary>
    internal static T Make<T>(string path, Func<T> work)
    {
        bool wasThere = Directory.Exists(path);
        try
        {
            return work();
        }
        catch
        {
            if (!wasThere && Directory.Exists(path) && !File.Exists(Path.Combine(path, "pile.meta")))
            {
                TryRemove(path);
            }

            throw;
        }
    }

    private static void TryRemove(string path)
    {
        try
        {
            File.Delete(Path.Combine(path, "lock"));
            string extents = Path.Combine(path, "extents");
            if (Directory.Exists(extents))
            {
                Directory.Delete(extents);
            }

            Directory.Delete(path);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // It holds something else, or the device takes nothing any more: without pile.meta it is no pile. The failure before is told.
        }
    }
}
