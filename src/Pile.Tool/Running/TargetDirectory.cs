// The directory that a verb makes a new pile in. The library removes what it wrote when it fails or is stopped; this removes the
// directory too, if it was not there before, and a pile that the verb was to look at and did not. What is no part of that is never removed.
// A pile that is there is not replaced; of one that is in use is said by whom.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Pile.Tool.Running;

/// <summary>A new pile's directory.</summary>
internal static class TargetDirectory
{
    /// <summary>Lets a work make a pile in a directory; leaves no trace of one that it did not complete.</summary>
    internal static T Make<T>(string path, Func<T> work)
    {
        bool wasThere = Directory.Exists(path);
        if (wasThere && WriterOf(path) is > 0 and var process)
        {
            throw new ToolException(ExitCode.InUse, $"'{Path.GetFullPath(path)}' holds a pile that process {process} has open, and is not written to. Give another directory.") { ProcessId = process };
        }

        try
        {
            return work();
        }
        catch
        {
            if (!wasThere && Directory.Exists(path) && !PileInspection.IsPile(path))
            {
                TryRemove(path);
            }

            throw;
        }
    }

    /// <summary>The same, of a pile that is looked at before it is told of. Where the look does not come to its end the pile is removed: it would be taken for one that is known.</summary>
    internal static TLook Make<T, TLook>(string path, Func<T> work, Func<T, TLook> look)
    {
        bool wasThere = Directory.Exists(path);
        T made = Make(path, work);
        try
        {
            return look(made);
        }
        catch
        {
            TryRemovePile(path);
            if (!wasThere)
            {
                TryRemove(path);
            }

            throw;
        }
    }

    private static void TryRemovePile(string path)
    {
        try
        {
            // First what makes a pile of the others.
            List<string> files = [.. PileInspection.Of(path).Files.Where(static file => file.Kind != PileFileKind.Other).OrderByDescending(static file => file.Kind == PileFileKind.Meta).Select(static file => file.Name)];
            files.ForEach(name => File.Delete(Path.Combine(path, name)));
            Directory.Delete(Path.Combine(path, "extents"));
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or PileException)
        {
            // As below.
        }
    }

    private static int WriterOf(string path)
    {
        try
        {
            return PileInspection.Of(path).WriterProcessId;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or PileException)
        {
            // No pile that anybody could have open. Whether it may be written to is the library's to say.
            return 0;
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
