// The files of generation floors in a pile's directory: written whole before meta names them, read by a crawl, removed when meta
// names another.
using System.Collections.Generic;
using System.IO;
using Pile.Format;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>Files of floors.</summary>
/// <param name="files">Source of files.</param>
/// <param name="directory">The pile's directory, with its full path.</param>
/// <param name="meta">What holds.</param>
internal readonly struct FloorsFiles(FileProvider files, string directory, MetaSlot meta)
{
    /// <summary>Writes a file of generation floors, durable with its name; it counts once meta names it.</summary>
    internal void Write(GenerationFloors floors)
    {
        string path = InDirectory(StoreNames.OfFloors(floors.Number));
        if (files.Exists(path))
        {
            // Left by a Clear that did not come to its end.
            files.Delete(path);
        }

        try
        {
            using StoreFile file = files.Open(path, FileOpening.CreateNew);
            file.Write(0, floors.ToBytes());
            file.Sync();
            files.SyncDirectory(directory);
        }
        catch (FileCallException)
        {
            _ = TryDelete(path);
            throw;
        }
    }

    /// <summary>Reads the file of generation floors that meta names; null when it names none.</summary>
    /// <param name="readOnly">Whether nothing will be stored.</param>
    /// <exception cref="PileFormatException">A newer version is needed.</exception>
    /// <exception cref="PileCorruptedException">It is missing or damaged: without it deleted objects' pointers might be issued again.</exception>
    internal GenerationFloors? Read(bool readOnly)
    {
        if (meta.FloorsFile == 0)
        {
            return null;
        }

        string path = InDirectory(StoreNames.OfFloors(meta.FloorsFile));
        string? problem;
        try
        {
            using StoreFile file = files.Open(path, FileOpening.ReadOnly);
            byte[] bytes = new byte[file.Bytes];
            file.Read(0, bytes);
            if (GenerationFloors.TryRead(bytes, out GenerationFloors? floors, out problem) && floors.Identity == meta.Identity && floors.Number == meta.FloorsFile)
            {
                floors.Features.Check(path, readOnly);
                return floors;
            }

            problem ??= "it belongs to another pile, or is a copy of another file of floors";
        }
        catch (FileCallException failure) when (failure.Failure == FileFailure.Missing)
        {
            problem = "it is missing";
        }

        throw new PileCorruptedException($"'{path}': {problem}. It says which generations of slots were used before the pile was cleared. Restore the file. Nothing was changed.", path: path);
    }

    /// <summary>Removes files of floors that meta does not name. One that can't be removed does no harm.</summary>
    internal void DeleteOthers()
    {
        uint kept = meta.FloorsFile;
        IReadOnlyList<string> names;
        try
        {
            names = files.List(directory);
        }
        catch (FileCallException)
        {
            return;
        }

        foreach (string name in names)
        {
            if (StoreNames.IsFloors(name, out uint number) && number != kept)
            {
                _ = TryDelete(InDirectory(name));
            }
        }
    }

    private bool TryDelete(string path)
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

    private string InDirectory(string name) => Path.Combine(directory, name);
}
