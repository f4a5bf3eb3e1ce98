// The extent files of a directory: which count (those below the rows that meta has), whether they are all there, and which are
// what a kill left between creating a file and counting it. Such a one holds nothing, and is removed by a writable open.
using System.Collections.Generic;
using System.IO;
using Pile.Format;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>Opening of all extents.</summary>
internal static class ExtentFiles
{
    /// <summary>Opens the files that count, in row order. Changes nothing.</summary>
    /// <param name="files">Source of files.</param>
    /// <param name="regions">Source of address space.</param>
    /// <param name="directory">The directory of extents.</param>
    /// <param name="meta">What holds.</param>
    /// <param name="readOnly">Whether nothing will be stored.</param>
    /// <param name="leftovers">Paths of files that do not count and hold nothing; none when read-only, which does not look at them.</param>
    /// <exception cref="PileException">A file is missing, too many, damaged or another pile's; or one that does not count holds something.</exception>
    internal static List<ExtentFile> Open(
        FileProvider files, RegionProvider regions, string directory, MetaSlot meta, bool readOnly, out List<string> leftovers)
    {
        List<int> rows = RowsOf(files, directory);
        leftovers = [];
        List<ExtentFile> extents = [];
        try
        {
            int next = 1;
            foreach (int row in rows)
            {
                string path = Path.Combine(directory, StoreNames.OfExtent(row));
                if (row >= meta.ExtentRows)
                {
                    if (!readOnly)
                    {
                        RefuseUsed(files, path, meta);
                        leftovers.Add(path);
                    }

                    continue;
                }

                ExtentFile extent = OpenNext(files, regions, directory, row, next, meta, readOnly);
                extents.Add(extent);
                next = row + extent.Header.Rows;
            }

            if (next != meta.ExtentRows)
            {
                throw Missing(directory, next, meta, hasOthers: rows.Count > 0);
            }

            return extents;
        }
        catch
        {
            extents.ForEach(static extent => extent.Dispose());
            throw;
        }
    }

    /// <summary>Maps the segment rows of a directory for stores; for reading alone they are mapped already. A file that shares blocks with a copy is written for that, and synced, which takes
    /// what the system would tell of its pages: those are noted before (<see cref="TableTrust.NoteLostExtents"/>).</summary>
    internal static void MapRows(PileDirectory directory, RegionProvider regions)
    {
        for (int index = 0; index < directory.Extents.Count && !directory.IsReadOnly; index++)
        {
            directory.Extents[index].MapRows(regions);
        }
    }

    /// <summary>The rows that the names of the files say, in order.</summary>
    internal static List<int> RowsOf(FileProvider files, string directory)
    {
        List<int> rows = [];
        try
        {
            foreach (string name in files.List(directory))
            {
                if (StoreNames.IsExtent(name, out int row))
                {
                    rows.Add(row);
                }
            }
        }
        catch (FileCallException failure) when (failure.Failure is FileFailure.Missing or FileFailure.WrongKind)
        {
            throw new PileCorruptedException($"{failure.Message} The pile's extents are there. Restore the directory with its files. Nothing was changed.", path: directory);
        }

        rows.Sort();
        return rows;
    }

    private static ExtentFile OpenNext(FileProvider files, RegionProvider regions, string directory, int row, int next, MetaSlot meta, bool readOnly)
    {
        string path = Path.Combine(directory, StoreNames.OfExtent(row));
        if (row > next)
        {
            throw Missing(directory, next, meta, hasOthers: true);
        }

        ExtentFile extent = ExtentFile.Open(files, regions, path, row, meta.Identity, readOnly);
        if (row < next || row + extent.Header.Rows > meta.ExtentRows)
        {
            extent.Dispose();
            throw new PileCorruptedException(
                $"'{path}' has {extent.Header.Rows} rows of flat space from row {row} on, which others have, or which '{StoreNames.Meta}' does not count (next free row {meta.ExtentRows}). Remove what was added, or restore what was replaced. Nothing was changed.", path: path);
        }

        return extent;
    }

    private static void RefuseUsed(FileProvider files, string path, MetaSlot meta)
    {
        if (!ExtentFile.IsUnused(files, path))
        {
            throw new PileCorruptedException(
                $"'{path}' holds something, though by '{StoreNames.Meta}' row {meta.ExtentRows} is the next free one: that file is older than the others, or this one was added. Restore the files together, or remove what was added. Nothing was changed.", path: path);
        }
    }

    private static PileCorruptedException Missing(string directory, int row, MetaSlot meta, bool hasOthers)
    {
        string path = Path.Combine(directory, StoreNames.OfExtent(row));
        string orSalvage = hasOthers ? ", or let PileSalvage.Run bring what is left into a new directory" : "";
        return new PileCorruptedException(
            $"'{path}' is missing: the pile has rows 1 to {meta.ExtentRows - 1} of flat space. Restore the file{orSalvage}. Nothing was changed.", path: path);
    }
}
