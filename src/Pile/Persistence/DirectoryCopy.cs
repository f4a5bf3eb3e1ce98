// The directory that a copy of a pile is written to: its files come into being under their names, pile.meta last, so that it is a
// pile once it is complete; until then, and for ever if the copy fails, it is none. What it wrote it removes when it fails.
using System;
using System.Collections.Generic;
using System.IO;
using Pile.Format;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>One copy's directory. One thread.</summary>
internal sealed class DirectoryCopy : IDisposable
{
    private readonly FileProvider _files;
    private readonly string _path;
    private readonly DirectoryLock _lock;
    private readonly List<string> _written = [];
    private bool _isComplete;

    private DirectoryCopy(FileProvider files, string path, DirectoryLock held)
    {
        _files = files;
        _path = path;
        _lock = held;
    }

    private string Extents => Path.Combine(_path, StoreNames.Extents);

    /// <summary>Begins a copy in a directory that is missing or empty.</summary>
    /// <exception cref="IOException">Something is there, or it lies within a pile; nothing was changed.</exception>
    internal static DirectoryCopy Begin(FileProvider files, string path)
    {
        RequireOutside(files, path);
        if (!files.Exists(path))
        {
            DirectoryCreation.CreateDirectories(files, path);
        }

        // Twice: without the lock, so that a directory that is refused stays as it is; then under it, for what others did meanwhile.
        RequireFree(files, path);
        var copy = new DirectoryCopy(files, path, DirectoryLock.Take(files, path, shared: false));
        try
        {
            RequireFree(files, path);
            if (!files.Exists(copy.Extents))
            {
                files.CreateDirectory(copy.Extents);
            }

            return copy;
        }
        catch
        {
            copy.Dispose();
            throw;
        }
    }

    /// <summary>Requires that no directory above is a pile: whoever removes that pile, or moves it, would take its copy along.</summary>
    private static void RequireOutside(FileProvider files, string path)
    {
        for (string? above = Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path))); above is not null; above = Path.GetDirectoryName(above))
        {
            if (files.Exists(Path.Combine(above, StoreNames.Meta)))
            {
                throw new IOException($"'{path}' lies within '{above}', which is a pile: its directory holds nothing but its own files. Give one outside. Nothing was changed.");
            }
        }
    }

    /// <summary>Requires that nothing is there but what a copy leaves that did not come to its end: the lock, an empty directory.</summary>
    private static void RequireFree(FileProvider files, string path)
    {
        foreach (string name in files.List(path))
        {
            if (name != StoreNames.Lock && (name != StoreNames.Extents || files.List(Path.Combine(path, name)).Count > 0))
            {
                throw new IOException($"'{path}' is not empty, and a copy is written to a directory of its own. Give another one, or empty it. Nothing was changed.");
            }
        }
    }

    /// <summary>Creates an extent's file at its full length, with its headers and rows.</summary>
    internal StoreFile CreateExtent(in ExtentHeader header, ReadOnlySpan<byte> rows)
    {
        string path = Path.Combine(Extents, StoreNames.OfExtent(header.FirstRow));
        _written.Add(path);
        StoreFile file = _files.Open(path, FileOpening.CreateNew);
        try
        {
            byte[] prefix = new byte[ExtentHeader.ExtentPrefixBytes];
            header.Write(prefix);
            header.Write(prefix.AsSpan(ExtentHeader.CopyOffset));
            rows.CopyTo(prefix.AsSpan(ExtentHeader.RowsOffset));
            file.SetBytes(header.FileBytes);
            file.Write(0, prefix);
            return file;
        }
        catch
        {
            // Its name is removed with the others; what it takes would stay until then.
            file.Dispose();
            throw;
        }
    }

    /// <summary>Lets the directory be a pile: writes floors, the list of a cache's durable tables and meta, durable with all names.</summary>
    internal void Complete(MetaSlot meta, GenerationFloors? floors, byte[]? tables)
    {
        if (tables is not null)
        {
            _written.Add(Path.Combine(_path, StoreNames.CacheTables));
            SideFiles.Write(_files, _path, StoreNames.CacheTables, tables);
        }

        if (floors is not null)
        {
            _written.Add(Path.Combine(_path, StoreNames.OfFloors(floors.Number)));
            new FloorsFiles(_files, _path, meta).Write(floors);
        }

        _files.SyncDirectory(Extents);
        string inCreation = Path.Combine(_path, StoreNames.MetaInCreation);
        _written.Add(inCreation);

        // Numbered as what was just created: until somebody writes it again, each open makes the names durable that lead to it.
        MetaFile.Create(_files, inCreation, meta with { Sequence = 1 });
        _files.SyncDirectory(_path);
        _files.Rename(inCreation, Path.Combine(_path, StoreNames.Meta));
        _isComplete = true;
        DirectoryCreation.SyncNames(_files, _path);
    }

    /// <summary>Lets go of the directory; removes what was written when the copy is not complete.</summary>
    public void Dispose()
    {
        try
        {
            for (int index = _written.Count - 1; index >= 0 && !_isComplete; index--)
            {
                if (_files.Exists(_written[index]))
                {
                    _files.Delete(_written[index]);
                }
            }
        }
        catch (FileCallException)
        {
            // The device takes nothing any more: what is left has no pile.meta, and is no pile. The failure that ended the copy is told.
        }
        finally
        {
            _lock.Dispose();
        }
    }
}
