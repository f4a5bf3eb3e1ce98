// Creates the files of a new pile so that it exists whole or not at all: pile.meta is written under another name, synced, and
// renamed. Without that name nothing else counts, and what a creation left that did not end is only what StoreNames allows.
// It never removes a file that it has not recognised.
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>Creation of a pile's directory.</summary>
internal static class DirectoryCreation
{
    /// <summary>Creates a directory, and those above it that are missing, each durable before the next.</summary>
    internal static void CreateDirectories(FileProvider files, string directory)
    {
        string parent = Path.GetDirectoryName(directory) ?? directory;
        if (!files.Exists(parent))
        {
            CreateDirectories(files, parent);
        }

        try
        {
            files.CreateDirectory(directory);
        }
        catch (FileCallException failure) when (failure.Failure == FileFailure.Exists)
        {
            // Another process creates the same pile: the lock decides between us.
        }

        files.SyncDirectory(parent);
    }

    /// <summary>Refuses a directory without pile.meta that holds anything but what a creation may have left.</summary>
    internal static void RefuseOthers(FileProvider files, string directory, IReadOnlyList<string> names)
    {
        string extents = Path.Combine(directory, StoreNames.Extents);
        string? other = names.Where(static name => !StoreNames.IsOfCreation(name)).Order(System.StringComparer.Ordinal).FirstOrDefault();
        if (other is null && names.Contains(StoreNames.Extents) && files.List(extents).Count > 0)
        {
            other = StoreNames.Extents;
        }

        if (other == StoreNames.FileSystemRoot && !names.Contains(StoreNames.Extents))
        {
            throw new PileFormatException(
                $"'{directory}' holds '{other}': it is the root of a file system, whose directory would be taken for an empty pile where it is not mounted. Give a directory within it. Nothing was changed.",
                directory);
        }

        if (other is not null)
        {
            throw new PileFormatException(
                $"'{directory}' holds '{other}' but no '{StoreNames.Meta}': it is not a pile, or one whose {StoreNames.Meta} is lost, and is not taken for empty. Restore {StoreNames.Meta}, or give another directory{(names.Contains(StoreNames.MetaInCreation) ? "; if it is what a killed import left, import again or remove it" : string.Empty)}. Nothing was changed.",
                directory);
        }
    }

    /// <summary>Refuses a directory in which this process can't make and remove files, unless it is to be read alone: a pile that is open does so as it grows, and when it is closed.</summary>
    internal static void RefuseFixed(FileProvider files, string directory, PileOpenMode mode)
    {
        if (mode == PileOpenMode.ReadOnly)
        {
            return;
        }

        files.CheckMayChange(directory);
        string extents = Path.Combine(directory, StoreNames.Extents);
        if (files.Exists(extents))
        {
            files.CheckMayChange(extents);
        }
    }

    /// <summary>Creates the files. The caller holds the directory's lock and has refused others.</summary>
    /// <param name="files">Source of files.</param>
    /// <param name="directory">The directory.</param>
    /// <param name="names">What is in it.</param>
    /// <param name="slot">The pile's meta.</param>
    /// <param name="metaName">The name of its file: the one that counts, or the one of before, which <see cref="Name"/> ends.</param>
    internal static void Create(FileProvider files, string directory, IReadOnlyList<string> names, MetaSlot slot, string metaName)
    {
        string inCreation = Path.Combine(directory, StoreNames.MetaInCreation);
        if (names.Contains(StoreNames.MetaInCreation))
        {
            files.Delete(inCreation);
        }

        if (!names.Contains(StoreNames.Extents))
        {
            files.CreateDirectory(Path.Combine(directory, StoreNames.Extents));
        }

        MetaFile.Create(files, inCreation, slot);

        // Before the name: whoever finds it finds the directory of extents as well.
        files.SyncDirectory(directory);
        if (metaName == StoreNames.Meta)
        {
            files.Rename(inCreation, Path.Combine(directory, StoreNames.Meta));
        }
    }

    /// <summary>Gives a pile its name that was created without: an import's. All that counts is durable. Where the name can't be made durable it is
    /// taken back.</summary>
    internal static void Name(FileProvider files, string directory)
    {
        string unnamed = Path.Combine(directory, StoreNames.MetaInCreation);
        string named = Path.Combine(directory, StoreNames.Meta);
        files.Rename(unnamed, named);
        try
        {
            SyncNames(files, directory);
        }
        catch (FileCallException)
        {
            files.Rename(named, unnamed);
            throw;
        }
    }

    /// <summary>Removes what an import left that did not come to its end: files of names that a pile has, beside a meta that was never
    /// named. Anything else in the directory stays.</summary>
    /// <exception cref="PileLockedException">The import goes on in another process.</exception>
    internal static void RemoveUnnamed(FileProvider files, string directory)
    {
        if (!files.Exists(directory) || !IsUnnamed(files.List(directory)))
        {
            return;
        }

        using DirectoryLock held = DirectoryLock.Take(files, directory, shared: false);
        IReadOnlyList<string> names = files.List(directory);
        if (!IsUnnamed(names))
        {
            return;
        }

        // A name that was taken back is gone before the files are.
        files.SyncDirectory(directory);
        string extents = Path.Combine(directory, StoreNames.Extents);
        foreach (string name in names.Contains(StoreNames.Extents) ? files.List(extents) : [])
        {
            if (StoreNames.IsExtent(name, out _))
            {
                files.Delete(Path.Combine(extents, name));
            }
        }

        foreach (string name in names.Where(StoreNames.IsNumbered))
        {
            files.Delete(Path.Combine(directory, name));
        }

        // Last: as long as it is there the rest is known for what it is.
        files.Delete(Path.Combine(directory, StoreNames.MetaInCreation));
    }

    private static bool IsUnnamed(IReadOnlyList<string> names) => names.Contains(StoreNames.MetaInCreation) && !names.Contains(StoreNames.Meta);

    /// <summary>Makes the directory's names durable, and those that lead to it: whoever created them may have ended before.</summary>
    internal static void SyncNames(FileProvider files, string directory)
    {
        files.SyncDirectory(directory);
        for (string? above = Path.GetDirectoryName(directory); above is not null; above = Path.GetDirectoryName(above))
        {
            try
            {
                files.SyncDirectory(above);
            }
            catch (FileCallException failure) when (failure.Failure is FileFailure.Denied or FileFailure.TakesNoWrites)
            {
                // Whoever may not list a directory, or write to its file system, has not created one in it.
            }
        }
    }
}
