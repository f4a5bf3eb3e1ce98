// The directory of a mapped pile: opened or created under its lock, its meta and its extent files checked before anything is
// changed, new files made durable before they count. What the files mean (recovery, flushes, the table) is the engine's business.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Table;

namespace Pile.Persistence;

/// <summary>An open directory. Thread-safe but for <see cref="Dispose"/>.</summary>
internal sealed class PileDirectory : IDisposable
{
    // Held while meta is written and files are created: a meta write reads the meta before it.
    private readonly Lock _gate = new();
    private readonly FileProvider _files;
    private readonly RegionProvider _regions;
    private readonly DirectoryLock _lock;
    private readonly MetaFile _meta;
    private volatile ExtentFile[] _extents;

    private PileDirectory(FileProvider files, RegionProvider regions, string path, bool isReadOnly, bool wasCreated, DirectoryLock held, MetaFile meta, ExtentFile[] extents)
    {
        _files = files;
        _regions = regions;
        FullPath = path;
        IsReadOnly = isReadOnly;
        WasCreated = wasCreated;
        _lock = held;
        _meta = meta;
        _extents = extents;
    }

    /// <summary>The directory's full path.</summary>
    internal string FullPath { get; }

    /// <summary>Whether nothing may be changed.</summary>
    internal bool IsReadOnly { get; }

    /// <summary>Whether this open created the pile.</summary>
    internal bool WasCreated { get; }

    /// <summary>The meta that holds.</summary>
    internal MetaSlot Meta
    {
        get
        {
            using (_gate.EnterAnyhow())
            {
                return _meta.Slot;
            }
        }
    }

    /// <summary>Which meta slot was damaged at open, and how; null for none. A cut while meta was written leaves one.</summary>
    internal string? MetaDamage => _meta.Damage;

    /// <summary>The extents that count, in row order.</summary>
    internal IReadOnlyList<ExtentFile> Extents => _extents;

    /// <summary>Opens or creates a directory.</summary>
    /// <param name="files">Source of files.</param>
    /// <param name="regions">Source of address space.</param>
    /// <param name="path">The directory; missing ones above it are created with it.</param>
    /// <param name="mode">What may be done.</param>
    /// <param name="created">The meta of a pile that is created: its identity, tag and sizes.</param>
    /// <param name="metaName">The name of meta's file; another one while an import creates the pile.</param>
    /// <exception cref="ArgumentException">The path is empty, or can't be one.</exception>
    /// <exception cref="DirectoryNotFoundException">There is no directory, and the mode creates none.</exception>
    /// <exception cref="FileNotFoundException">The directory holds no pile, and the mode creates none.</exception>
    /// <exception cref="UnauthorizedAccessException">The directory or a file may not be read, or not written.</exception>
    /// <exception cref="IOException">The path is no directory; a pile is there and the mode is CreateNew; or a call failed.</exception>
    /// <exception cref="PileLockedException">The directory is open already.</exception>
    /// <exception cref="PileFormatException">What is there is no pile, or another's, or a newer version's.</exception>
    /// <exception cref="PileCorruptedException">An extent file is missing, damaged or doubled.</exception>
    /// <exception cref="PileFullException">The device is full.</exception>
    internal static PileDirectory Open(FileProvider files, RegionProvider regions, string path, PileOpenMode mode, MetaSlot created, string metaName = StoreNames.Meta)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        string full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        try
        {
            return OpenLocked(files, regions, full, mode, created, metaName);
        }
        catch (FileCallException failure)
        {
            throw DirectoryErrors.For(failure, isOfPile: failure.Path.Length > full.Length && failure.Path.StartsWith(full, StringComparison.Ordinal));
        }
    }

    /// <summary>Changes meta; durable when it returns. When it throws, either may hold from the next open on.</summary>
    /// <param name="change">Makes the next meta from the one that holds; the sequence is not its business.</param>
    internal void WriteMeta(Func<MetaSlot, MetaSlot> change)
    {
        using (_gate.EnterAnyhow())
        {
            _meta.Write(change(_meta.Slot));
        }
    }

    /// <summary>Creates an extent file, durable with its name. It counts once the caller has raised
    /// <see cref="MetaSlot.ExtentRows"/>; until then nothing may be stored in it.</summary>
    /// <param name="row">The next free row of flat space: behind the last extent.</param>
    /// <param name="rows">Rows of 64 MiB; 1 for segments.</param>
    /// <param name="kind">What it is for.</param>
    /// <param name="segmentBytes">Size of its segments; 0 for large objects.</param>
    /// <exception cref="FileCallException">A call failed, for want of space for example; nothing was changed.</exception>
    internal ExtentFile CreateExtent(int row, int rows, ExtentKind kind, int segmentBytes)
    {
        using (_gate.EnterAnyhow())
        {
            Check.That(row == (_extents.Length == 0 ? 1 : _extents[^1].Header.FirstRow + _extents[^1].Header.Rows));
            string directory = InDirectory(StoreNames.Extents);
            var header = new ExtentHeader(_meta.Slot.Identity, row, rows, kind, segmentBytes);
            ExtentFile extent = ExtentFile.Create(_files, _regions, Path.Combine(directory, StoreNames.OfExtent(row)), header);
            try
            {
                _files.SyncDirectory(directory);
            }
            catch (Exception failure)
            {
                extent.Dispose();

                // It is made anew once the call can be made; a failed sync ends all writing, and leaves it to the next open.
                _ = failure is FileCallException { IsSync: false } && SideFiles.TryDelete(_files, extent.Path);
                throw;
            }

            _extents = [.. _extents, extent];
            return extent;
        }
    }

    /// <summary>Whether a table file is there, whether it counts or not.</summary>
    internal bool HasTable(uint number) => _files.Exists(InDirectory(StoreNames.OfTable(number)));

    /// <summary>Whether a cache has tables here whose index is in a file.</summary>
    internal bool HasIndexes() => _files.List(FullPath).Any(static name => StoreNames.IsIndex(name, out _));

    /// <summary>Removes the table files that do not count.</summary>
    internal void DeleteOtherTables(uint kept) => _ = SideFiles.TryDeleteOthers(_files, FullPath, StoreNames.IsTable, kept);

    /// <summary>Creates a table file with its header and <paramref name="bytes"/> zero bytes of entries behind it, sparse, durable with its name.</summary>
    internal StoreFile CreateTable(uint number, long bytes)
    {
        StoreFile file = _files.Open(InDirectory(StoreNames.OfTable(number)), FileOpening.CreateNew);
        try
        {
            byte[] header = new byte[TableHeader.Bytes];
            new TableHeader(Meta.Identity, number).Write(header);
            file.SetBytes(TableHeader.Bytes + bytes);
            file.Write(0, header);
            file.Sync();
            _files.SyncDirectory(FullPath);
            return file;
        }
        catch
        {
            file.Dispose();
            ForgetTable(number);
            throw;
        }
    }

    /// <summary>Removes a table file that was created and does not count, as well as that can be done now: what is left is removed by
    /// a later open.</summary>
    /// <param name="number">Its number; 0: there is none.</param>
    internal void ForgetTable(uint number)
    {
        try
        {
            _ = number == 0 || number == _meta.Slot.TableFile || TryDeleteTable(number);
        }
        catch (FileCallException)
        {
            // The failure before it is told.
        }
    }

    /// <summary>Opens a table file. One that can't be used is no failure of the pile: the table is derived from the log.</summary>
    /// <param name="number">Its number.</param>
    /// <param name="slotsMax">The most slots that it may have.</param>
    /// <param name="file">The file.</param>
    /// <param name="problem">Why it can't be used.</param>
    /// <exception cref="PileFormatException">It is this pile's, and a newer version is needed.</exception>
    internal bool TryOpenTable(uint number, uint slotsMax, [NotNullWhen(true)] out StoreFile? file, [NotNullWhen(false)] out string? problem)
    {
        file = null;
        StoreFile? opened = null;
        try
        {
            opened = _files.Open(InDirectory(StoreNames.OfTable(number)), IsReadOnly ? FileOpening.ReadOnly : FileOpening.ToStoreInto);
            problem = TableProblem(opened, number, slotsMax);
        }
        catch (IOException failure)
        {
            problem = failure is FileCallException { Failure: FileFailure.Missing } missing ? $"its table '{missing.Path}' is missing" : failure.Message;
        }
        catch (PileFormatException)
        {
            opened?.Dispose();
            throw;
        }

        file = problem is null ? opened : null;
        if (problem is not null)
        {
            opened?.Dispose();
        }

        return problem is null;
    }

    /// <summary>Removes a table file, which nobody has open.</summary>
    /// <returns>False when it is a directory, and so none of the pile's files.</returns>
    internal bool TryDeleteTable(uint number)
    {
        try
        {
            _files.Delete(InDirectory(StoreNames.OfTable(number)));
            _files.SyncDirectory(FullPath);
            return true;
        }
        catch (FileCallException failure) when (failure.Failure == FileFailure.WrongKind)
        {
            return false;
        }
    }

    /// <summary>The extent file that a row of flat space stands in.</summary>
    internal string PathOfRow(int row) => _extents.Last(extent => extent.Header.FirstRow <= row).Path;

    /// <summary>The files of generation floors.</summary>
    internal FloorsFiles Floors => new(_files, FullPath, Meta);

    /// <summary>Source of files.</summary>
    internal FileProvider Files => _files;

    /// <summary>The checkpoint files.</summary>
    internal CheckpointFiles Checkpoints => new(_files, FullPath, Meta);

    /// <summary>The files of table checksums.</summary>
    internal SumsFiles Sums => new(_files, FullPath, Meta.Identity);

    /// <summary>Over device and inode of meta, all extents, and the table if there is one.</summary>
    internal ulong FingerprintOf(StoreFile? table)
    {
        FilesFingerprint fingerprint = default;
        fingerprint.Add(_meta.Identity);
        foreach (ExtentFile extent in _extents)
        {
            fingerprint.Add(extent.Identity);
        }

        if (table is not null)
        {
            fingerprint.Add(table.Identity);
        }

        return fingerprint.Value;
    }

    /// <summary>Bytes of the device that holds the directory.</summary>
    internal long TotalBytes() => _files.TotalBytes(FullPath);

    /// <summary>Bytes left on the device that holds the directory.</summary>
    internal long FreeBytes() => _files.FreeBytes(FullPath);

    /// <summary>As <see cref="FreeBytes"/>; null when the system does not say.</summary>
    internal long? TryFreeBytes() => DirectoryErrors.TryAsk(FreeBytes);

    internal long? QuotaBytes() => _files.QuotaBytes(FullPath);

    /// <summary>Closes all files and gives up the lock. The caller guarantees that nobody uses the extents any more.</summary>
    public void Dispose()
    {
        foreach (ExtentFile extent in _extents)
        {
            extent.Dispose();
        }

        _meta.Dispose();
        _lock.Dispose();
    }

    private static PileDirectory OpenLocked(FileProvider files, RegionProvider regions, string directory, PileOpenMode mode, MetaSlot created, string metaName)
    {
        bool readOnly = mode == PileOpenMode.ReadOnly;
        if (!files.Exists(directory))
        {
            if (mode is PileOpenMode.OpenExisting or PileOpenMode.ReadOnly)
            {
                throw new DirectoryNotFoundException($"There is no directory '{directory}', and OpenMode = {mode} creates none.");
            }

            DirectoryCreation.CreateDirectories(files, directory);
        }

        // Twice: without the lock, so that a directory that is refused stays as it is; then under it, for what others did meanwhile.
        _ = MustCreate(files, directory, mode, out _);
        DirectoryCreation.RefuseFixed(files, directory, mode);
        DirectoryLock held = DirectoryLock.Take(files, directory, readOnly);
        MetaFile? meta = null;
        List<ExtentFile> extents = [];
        try
        {
            bool creates = MustCreate(files, directory, mode, out IReadOnlyList<string> names);
            if (creates)
            {
                DirectoryCreation.Create(files, directory, names, created with { Sequence = 1 }, metaName);
            }

            meta = MetaFile.OpenLocked(files, Path.Combine(directory, metaName), readOnly);
            string inExtents = Path.Combine(directory, StoreNames.Extents);
            extents = ExtentFiles.Open(files, regions, inExtents, meta.Slot, readOnly, out List<string> leftovers);
            if (!readOnly)
            {
                Settle(files, directory, meta, extents, leftovers);
            }

            return new PileDirectory(readOnly ? files : HeldFiles.Of(files, directory), regions, directory, readOnly, creates, held, meta, [.. extents]);
        }
        catch
        {
            extents.ForEach(static extent => extent.Dispose());
            meta?.Dispose();
            held.Dispose();
            throw;
        }
    }

    /// <summary>Whether an open must create the pile; refuses a directory where the mode does not allow what it would do.</summary>
    internal static bool MustCreate(FileProvider files, string directory, PileOpenMode mode, out IReadOnlyList<string> names)
    {
        names = files.List(directory);
        bool isPile = names.Contains(StoreNames.Meta);
        if (isPile && mode == PileOpenMode.CreateNew)
        {
            throw new IOException($"'{directory}' holds a pile already, and OpenMode = {mode} opens none. Open it by another mode, or give another directory. Nothing was changed.");
        }

        if (!isPile)
        {
            DirectoryCreation.RefuseOthers(files, directory, names);
            if (mode is PileOpenMode.OpenExisting or PileOpenMode.ReadOnly)
            {
                throw new FileNotFoundException(
                    $"'{directory}' holds no pile{(names.Count > 0 ? ", only what a creation left that did not end" : string.Empty)}; OpenMode = {nameof(PileOpenMode.OpenOrCreate)} creates one. Nothing was changed.",
                    Path.Combine(directory, StoreNames.Meta));
            }
        }

        return !isPile;
    }

    /// <summary>Settles what a process that ended in the midst of something left: meta and names that are visible but not durable,
    /// files that do not count, a damaged header. All was checked before; from here on files change.</summary>
    private static void Settle(FileProvider files, string directory, MetaFile meta, List<ExtentFile> extents, List<string> leftovers)
    {
        leftovers.ForEach(files.Delete);
        extents.ForEach(static extent => extent.MendHeader());
        meta.MakeDurable();
        if (meta.Slot.Sequence == 1)
        {
            // Whoever wrote meta again had opened the directory, and so had been here.
            DirectoryCreation.SyncNames(files, directory);
        }
        else if (!meta.Slot.IsClean)
        {
            // But for an import, which gives it its name last, and may have ended before that was durable.
            files.SyncDirectory(directory);
        }
    }

    private string? TableProblem(StoreFile file, uint number, uint slotsMax)
    {
        byte[] bytes = new byte[TableHeader.Bytes];
        file.Read(0, bytes);
        bool isWhole = TableHeader.TryRead(bytes, out TableHeader header, out string? problem);
        if (isWhole && header.Identity == Meta.Identity)
        {
            // A newer version's: what it means beside the log is not known here.
            header.Features.Check(file.Path, IsReadOnly);
        }

        return !isWhole ? $"'{file.Path}': {problem}"
            : header.Identity != Meta.Identity ? $"'{file.Path}' belongs to another pile"
            : TableFile.HighWaterIn(bytes) > slotsMax + 1L ? $"'{file.Path}' says that it has {TableFile.HighWaterIn(bytes):N0} slots, more than {slotsMax:N0}"
            : (file.Bytes & -Limits.OsPageBytes) < TableHeader.Bytes + (long.Min(SlotPool.SlotsFor(TableFile.HighWaterIn(bytes)), Meta.SlotsMax + 1L) * Limits.WordBytes & -Limits.OsPageBytes) ? $"'{file.Path}' is truncated"
            : header.Number != number ? $"'{file.Path}' is a copy of table {header.Number}"
            : null;
    }

    private string InDirectory(string name) => Path.Combine(FullPath, name);
}
