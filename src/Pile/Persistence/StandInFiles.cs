// The files of a damaged pile as a salvage sees them: where an extent is missing, too short or has no header that can be read, a
// stand-in has its place, of the length that the extent had, with what is left of it and zeros behind. The damaged files are only
// read; a stand-in is a sparse file beside the salvage's target that has no name any more once it is open, so that nothing is left of it.
// Floors that are lost have one that knows of none: slots of a salvage go on far above what is left in any case (decision 54).
// Which bytes of a stand-in count is the crawl's business: zeros are no records.
using System;
using System.Collections.Generic;
using System.IO;
using Pile.Format;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>A view of a damaged directory in which every extent is there. For reading; thread-safe once it is prepared.</summary>
internal sealed class StandInFiles : FileProvider
{
    private const int CopiedBytes = 1 << 20;
    private readonly FileProvider _files;
    private readonly string _extents;
    private readonly string _scratch;
    private readonly MetaSlot? _meta;
    private readonly Dictionary<string, ExtentHeader> _standIns = [];
    private readonly List<PileDamageReport> _dropped = [];
    private readonly Dictionary<string, string> _realPaths = [];
    private string? _floors;

    private StandInFiles(FileProvider files, string extents, string scratch, MetaSlot? meta)
    {
        _files = files;
        _extents = extents;
        _scratch = scratch;
        _meta = meta;
    }

    /// <summary>A view in which nothing has a stand-in: of what is no pile the open says so.</summary>
    internal static StandInFiles Without(FileProvider files) => new(files, "", "", null);

    /// <summary>What is missing, with what it means.</summary>
    internal IReadOnlyList<PileDamageReport> Dropped => _dropped;

    /// <inheritdoc/>
    internal override Guid BootId => _files.BootId;

    /// <inheritdoc/>
    internal override Guid BootOf(string directory, string extents) => _files.BootOf(directory, extents);

    /// <summary>Looks which extents need a stand-in. Changes nothing.</summary>
    /// <param name="files">The files.</param>
    /// <param name="regions">Source of address space.</param>
    /// <param name="directory">The damaged pile.</param>
    /// <param name="scratch">A path at which stand-ins may be created; a number is added.</param>
    /// <exception cref="PileFormatException">Meta can't be read, or an extent is another pile's.</exception>
    /// <exception cref="PileCorruptedException">An extent stands under the name of another one.</exception>
    internal static StandInFiles Prepare(FileProvider files, RegionProvider regions, string directory, string scratch)
    {
        using var meta = MetaFile.Open(files, Path.Combine(directory, StoreNames.Meta), readOnly: true);
        var view = new StandInFiles(files, Path.Combine(directory, StoreNames.Extents), scratch, meta.Slot);
        List<int> rows = ExtentFiles.RowsOf(files, view._extents);
        int next = 1;
        for (int index = 0; index < rows.Count && rows[index] < meta.Slot.ExtentRows; index++)
        {
            view.AddMissing(next, rows[index]);
            int end = index + 1 < rows.Count ? int.Min(rows[index + 1], meta.Slot.ExtentRows) : meta.Slot.ExtentRows;
            next = int.Max(next, view.Look(regions, rows[index], end));
        }

        // Without any extent there is nothing to salvage: the open says so.
        if (rows.Count > 0)
        {
            view.AddMissing(next, meta.Slot.ExtentRows);
        }

        view.LookAtFloors(directory);
        return view;
    }

    /// <summary>The path that the user knows a file by.</summary>
    internal string RealPath(string path) => _realPaths.GetValueOrDefault(path, path);

    /// <inheritdoc/>
    internal override IReadOnlyList<string> List(string directory)
    {
        IReadOnlyList<string> names = _files.List(directory);
        if (directory != _extents)
        {
            return names;
        }

        HashSet<string> all = [.. names];
        foreach (string path in _standIns.Keys)
        {
            _ = all.Add(Path.GetFileName(path));
        }

        return [.. all];
    }

    /// <inheritdoc/>
    internal override StoreFile Open(string path, FileOpening opening) =>
        path == _floors ? OpenFloors(path) : _standIns.TryGetValue(path, out ExtentHeader header) ? OpenStandIn(path, header) : _files.Open(path, opening);

    /// <inheritdoc/>
    internal override void CreateDirectory(string path) => _files.CreateDirectory(path);

    /// <inheritdoc/>
    internal override bool Exists(string path) => _files.Exists(path);

    /// <inheritdoc/>
    internal override FileIdentity? IdentityOf(string path) => _files.IdentityOf(path);

    /// <inheritdoc/>
    internal override void CheckMayChange(string directory) => _files.CheckMayChange(directory);

    /// <inheritdoc/>
    internal override void Delete(string path) => _files.Delete(path);

    /// <inheritdoc/>
    internal override void Rename(string source, string target) => _files.Rename(source, target);

    /// <inheritdoc/>
    internal override void SyncDirectory(string directory) => _files.SyncDirectory(directory);

    /// <inheritdoc/>
    internal override long FreeBytes(string directory) => _files.FreeBytes(directory);

    /// <inheritdoc/>
    internal override long TotalBytes(string directory) => _files.TotalBytes(directory);

    internal override long? QuotaBytes(string directory) => _files.QuotaBytes(directory);

    /// <summary>Notes the extents that no file of a row begins. What they were is not known; nothing in them counts, so that any kind will do.</summary>
    private void AddMissing(int first, int end)
    {
        for (int row = first; row < end; row++)
        {
            Add(row, new ExtentHeader(_meta!.Identity, row, 1, ExtentKind.Segments, _meta.SegmentBytesMax), "is missing: what it held is lost");
        }
    }

    /// <summary>Looks at a file that is there.</summary>
    /// <returns>The row behind it.</returns>
    private int Look(RegionProvider regions, int row, int rowsEnd)
    {
        string path = PathOf(row);
        try
        {
            using ExtentFile extent = ExtentFile.Open(_files, regions, path, row, _meta!.Identity, readOnly: true);
            return row + extent.Header.Rows;
        }
        catch (PileCorruptedException)
        {
            using StoreFile file = _files.Open(path, FileOpening.ReadOnly);
            RefuseMisplaced(file, row);
            ExtentHeader header = LostHeader.Find(file, row, rowsEnd, _meta!);
            long left = long.Max(0, file.Bytes - ExtentHeader.ExtentPrefixBytes);
            Add(row, header, left < header.DataBytes
                ? $"is truncated: of {header.DataBytes} bytes the last {header.DataBytes - left} are lost"
                : "has no whole header: what it held was found by its segments");
            return row + header.Rows;
        }
    }

    /// <summary>Refuses a file that is another row's extent, and no copy of it: under its own name it is whole, and here it would be dropped.</summary>
    private void RefuseMisplaced(StoreFile file, int row)
    {
        int own = LostHeader.RowOf(file, _meta!);
        if (own != 0 && own != row && own < _meta!.ExtentRows && !IsInPlace(own))
        {
            throw new PileCorruptedException(
                $"'{file.Path}' is by its header the extent of '{StoreNames.OfExtent(own)}', and no file of that name is. Rename it, two that were exchanged by way of a third name; what stands under that name is the extent of another row or damaged: keep it elsewhere. Nothing was changed.", path: file.Path);
        }
    }

    private bool IsInPlace(int row)
    {
        if (!_files.Exists(PathOf(row)))
        {
            return false;
        }

        using StoreFile file = _files.Open(PathOf(row), FileOpening.ReadOnly);
        return LostHeader.RowOf(file, _meta!) == row;
    }

    private void Add(int row, in ExtentHeader header, string what)
    {
        string path = PathOf(row);
        _standIns[path] = header;
        _dropped.Add(new PileDamageReport(path, $"the extent {what}. Objects whose newest record stood in what is lost are missing, older than they were, or there although they were deleted"));
    }

    private string PathOf(int row) => Path.Combine(_extents, StoreNames.OfExtent(row));

    private void LookAtFloors(string directory)
    {
        try
        {
            _ = new FloorsFiles(_files, directory, _meta!).Read(readOnly: true);
        }
        catch (PileCorruptedException)
        {
            _floors = Path.Combine(directory, StoreNames.OfFloors(_meta!.FloorsFile));
            _dropped.Add(new PileDamageReport(_floors, "it is missing or damaged, and said which generations of slots were used before the pile was cleared: slots go on far above those that are left. No object is lost by that"));
        }
    }

    private StoreFile OpenFloors(string path) => OpenScratch(path, file => file.Write(0, new GenerationFloors(_meta!.Identity, _meta.FloorsFile, HighWater: 1, Floors: [0]).ToBytes()));

    private StoreFile OpenStandIn(string path, ExtentHeader header) => OpenScratch(path, file =>
    {
        file.SetBytes(header.FileBytes);
        if (_files.Exists(path))
        {
            using StoreFile source = _files.Open(path, FileOpening.ReadOnly);
            Copy(source, file, header.FileBytes);
        }

        byte[] bytes = new byte[ExtentHeader.Bytes];
        header.Write(bytes);
        file.Write(0, bytes);
        file.Write(ExtentHeader.CopyOffset, bytes);
    });

    private StoreFile OpenScratch(string path, Action<StoreFile> fill)
    {
        string scratch = $"{_scratch}.{Path.GetFileName(path)}";
        if (_files.Exists(scratch))
        {
            // Of a salvage that was killed before it took the name away.
            _files.Delete(scratch);
        }

        StoreFile file = _files.Open(scratch, FileOpening.CreateNew);
        try
        {
            _files.Delete(scratch);
            _realPaths[scratch] = path;
            fill(file);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private static void Copy(StoreFile source, StoreFile target, long bytesMax)
    {
        byte[] piece = new byte[CopiedBytes];
        long end = long.Min(source.Bytes, bytesMax);
        for (long offset = 0; offset < end; offset += piece.Length)
        {
            Span<byte> read = piece.AsSpan(0, (int)long.Min(piece.Length, end - offset));
            source.Read(offset, read);
            if (read.ContainsAnyExcept((byte)0))
            {
                target.Write(offset, read);
            }
        }
    }
}
