// What the files beside pile.meta have in common that exist in several numbers, of which meta names the one that counts: each is
// written whole and durable before it is named, and the others are removed once they are not. What their bytes mean is not known here.
using System;
using System.Collections.Generic;
using System.IO;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>Numbered files of a pile's directory.</summary>
internal static class SideFiles
{
    /// <summary>Tells whether a name is one of a kind, and its number.</summary>
    internal delegate bool IsOfKind(string name, out uint number);

    /// <summary>Writes a new file, durable with its name, in the place of one that was left by who did not come to the end.</summary>
    /// <exception cref="FileCallException">It could not be written; what was written of it is removed.</exception>
    internal static void Write(FileProvider files, string directory, string name, ReadOnlySpan<byte> bytes)
    {
        string path = Path.Combine(directory, name);
        if (files.Exists(path))
        {
            files.Delete(path);
        }

        try
        {
            using StoreFile file = files.Open(path, FileOpening.CreateNew);
            file.Write(0, bytes);
            file.Sync();
            files.SyncDirectory(directory);
        }
        catch (FileCallException)
        {
            _ = TryDelete(files, path);
            throw;
        }
    }

    /// <summary>Removes all files of a kind but one. What can't be removed takes room and is never read; the next call tries again.</summary>
    /// <param name="files">Source of files.</param>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="isOfKind">Which files.</param>
    /// <param name="kept">The number of the one that stays; 0 for none.</param>
    /// <returns>False when one stays that should not.</returns>
    internal static bool TryDeleteOthers(FileProvider files, string directory, IsOfKind isOfKind, uint kept)
    {
        IReadOnlyList<string> names;
        try
        {
            names = files.List(directory);
        }
        catch (FileCallException)
        {
            return false;
        }

        bool isDone = true;
        foreach (string name in names)
        {
            isDone &= !isOfKind(name, out uint number) || number == kept || TryDelete(files, Path.Combine(directory, name));
        }

        return isDone;
    }

    /// <summary>Removes a file of the directory, whatever its kind, as well as that can be done now.</summary>
    /// <returns>False when it stays: it takes room until a later open removes it.</returns>
    internal static bool TryDelete(FileProvider files, string path)
    {
        try
        {
            files.Delete(path);
            return true;
        }
        catch (FileCallException)
        {
            return false;
        }
    }
}
