// The files of generation floors in a pile's directory: written whole before meta names them, read by a crawl, removed when meta
// names another.
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
    internal void Write(GenerationFloors floors) => SideFiles.Write(files, directory, StoreNames.OfFloors(floors.Number), floors.ToBytes());

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
            long length = file.Bytes;
            byte[] bytes = new byte[length <= GenerationFloors.BytesMax ? length : 0];
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

        throw new PileCorruptedException($"'{path}': {problem}. It says which generations of slots were used before the pile was cleared. Restore the file, or let PileSalvage.Run bring what is left into a new directory. Nothing was changed.", path: path);
    }

    /// <summary>Removes files of floors that meta does not name. One that can't be removed does no harm.</summary>
    internal void DeleteOthers() => _ = SideFiles.TryDeleteOthers(files, directory, StoreNames.IsFloors, meta.FloorsFile);

    private string InDirectory(string name) => Path.Combine(directory, name);
}
