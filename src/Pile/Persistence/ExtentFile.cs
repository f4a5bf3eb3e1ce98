// One extent file: a prefix of header, segment rows and a second copy of the header, then the data, which stands in the pile's
// flat space. Offsets into the data count from its beginning. What the rows and the data say is the engine's business.
using System;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>An open extent file. Thread-safe but for <see cref="Dispose"/>; each row has one writer at a time.</summary>
internal sealed class ExtentFile : IDisposable
{
    // As long as the largest object needs it.
    private const long FileBytesMax = ExtentHeader.ExtentPrefixBytes + ((Limits.PayloadBytesMax + (long)Limits.ExtentBytes) & -Limits.ExtentBytes);

    // A small file takes space by segments: huge pages would take more at once.
    private const long SmallPagesBytes = 2L * Limits.HugePageBytes;
    private static readonly byte[] _zeros = new byte[FileLimits.FillBytes];
    private readonly StoreFile _file;
    private MappedWords? _rows;
    private readonly Lock _growing = new();
    private long _takenTo;
    private bool _growsByHugePages;
    private bool _hasHoles;
    private nint _dataAddress;

    private ExtentFile(StoreFile file, in ExtentHeader header, MappedWords? rows, string? damage)
    {
        _file = file;
        _rows = rows;
        Header = header;
        Damage = damage;
    }

    /// <summary>What it is.</summary>
    internal ExtentHeader Header { get; }

    /// <summary>Which copy of the header was damaged when the file was opened, and how; null for none. A writable open has mended it.</summary>
    internal string? Damage { get; }

    /// <summary>The path it was opened under.</summary>
    internal string Path => _file.Path;

    /// <summary>Data that lies in small pages, whatever the rest does.</summary>
    internal static long SmallDataBytes => SmallPagesBytes - ExtentHeader.ExtentPrefixBytes;

    /// <summary>Which file it is.</summary>
    internal FileIdentity Identity => _file.Identity;

    /// <summary>What it takes on the device now.</summary>
    internal long TakenBytes => _file.TakenBytes;

    /// <summary>The first location of its data.</summary>
    internal long FirstLocation => ExtentMap.FirstLocation(Header.FirstRow);

    /// <summary>Creates the file: rows zero, data sparse, all of it durable but the name.</summary>
    /// <exception cref="FileCallException">A call failed, for want of space for example; no file is left.</exception>
    internal static ExtentFile Create(FileProvider files, RegionProvider regions, string path, in ExtentHeader header)
    {
        StoreFile file = files.Open(path, FileOpening.CreateNew);
        try
        {
            byte[] prefix = new byte[ExtentHeader.ExtentPrefixBytes];
            header.Write(prefix);
            header.Write(prefix.AsSpan(ExtentHeader.CopyOffset));
            file.SetBytes(header.FileBytes);
            file.Write(0, prefix);
            file.Sync();
            return new ExtentFile(file, header, RowsOf(regions, file, header, writable: true), null);
        }
        catch
        {
            file.Dispose();

            // What is left is removed by the next open, as after a kill.
            _ = SideFiles.TryDelete(files, path);
            throw;
        }
    }

    /// <summary>Opens the file and compares it with what it must be. Changes nothing: rows that will be stored into are there after <see cref="MapRows"/>.</summary>
    /// <param name="files">Source of files.</param>
    /// <param name="regions">Source of address space.</param>
    /// <param name="path">The file.</param>
    /// <param name="firstRow">The row that its name says.</param>
    /// <param name="identity">The pile's identity.</param>
    /// <param name="readOnly">Whether nothing will be stored.</param>
    /// <exception cref="PileFormatException">It is another pile's, or a newer version is needed.</exception>
    /// <exception cref="PileCorruptedException">Both headers are damaged, or name and length do not fit them.</exception>
    internal static ExtentFile Open(FileProvider files, RegionProvider regions, string path, int firstRow, ulong identity, bool readOnly)
    {
        StoreFile file = files.Open(path, readOnly ? FileOpening.ReadOnly : FileOpening.ToStoreInto);
        try
        {
            long fileBytes = file.Bytes;
            ExtentHeader header = ReadHeader(file, fileBytes, identity, readOnly, out string? damage);
            Compare(file, fileBytes, header, firstRow);
            return new ExtentFile(file, header, readOnly ? RowsOf(regions, file, header, writable: false) : null, damage);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Whether a file holds nothing behind its header: as it is when it was created and never used. One that is longer than any
    /// that is created is not read: it may be as long as files can be.</summary>
    internal static bool IsUnused(FileProvider files, string path)
    {
        using StoreFile file = files.Open(path, FileOpening.ReadOnly);
        byte[] piece = new byte[1 << 20];
        long end = file.Bytes;
        long offset = ExtentHeader.RowsOffset;
        while (offset < end && end <= FileBytesMax)
        {
            // The second copy of the header is passed over.
            long stop = offset < ExtentHeader.CopyOffset ? ExtentHeader.CopyOffset : end;
            Span<byte> read = piece.AsSpan(0, (int)long.Min(piece.Length, long.Min(stop, end) - offset));
            file.Read(offset, read);
            if (read.ContainsAnyExcept((byte)0))
            {
                return false;
            }

            offset += read.Length;
            offset = offset == ExtentHeader.CopyOffset ? ExtentHeader.ExtentPrefixBytes : offset;
        }

        return end <= FileBytesMax;
    }

    /// <summary>Writes the headers again where one was damaged; durable with the first flush, like all that was found. A sync of its own that
    /// failed here would take what the process before has stored, and leave the next open a header that is whole.</summary>
    internal void MendHeader()
    {
        if (Damage is not null)
        {
            byte[] bytes = new byte[ExtentHeader.Bytes];
            Header.Write(bytes);
            _file.Write(0, bytes);
            _file.Write(ExtentHeader.CopyOffset, bytes);
        }
    }

    /// <summary>Maps the rows for stores. Once, before anybody asks for one.</summary>
    internal void MapRows(RegionProvider regions) => _rows = RowsOf(regions, _file, Header, writable: true);

    /// <summary>Maps the data over its place in flat space.</summary>
    /// <param name="address">First address of the extent's first row.</param>
    /// <param name="writable">Whether stores are allowed.</param>
    internal void MapData(nint address, bool writable)
    {
        _file.Map(address, ExtentHeader.ExtentPrefixBytes, Header.DataBytes, writable);
        _dataAddress = address;

        // Who walks asks for what he walks; a large object is read from its beginning.
        _file.ReadSmall(address, Header.DataBytes, isAhead: Header.Kind == ExtentKind.Large);
    }

    /// <summary>Has a stretch that is about to be walked brought ahead.</summary>
    internal void ReadAhead(long dataOffset, long bytes)
    {
        long first = dataOffset & -Limits.OsPageBytes;
        _file.ReadAhead(_dataAddress + (nint)first, dataOffset + bytes - first);
    }

    /// <summary>The row of a segment, as a word of <see cref="SegmentRow"/>; acquire.</summary>
    internal ulong ReadRow(int segment) => Rows().Read((uint)segment);

    /// <summary>Stores the row of a segment, after everything stored before it.</summary>
    internal void WriteRow(int segment, ulong word) => Rows().WriteRelease((uint)segment, word);

    /// <summary>Takes space for a stretch of the data: before it is used, and nobody stores there meanwhile.</summary>
    /// <returns>False when the device is full.</returns>
    internal bool TryAllocate(long dataOffset, long bytes)
    {
        long offset = ExtentHeader.ExtentPrefixBytes + dataOffset;
        return TryGrow(offset, offset + bytes) || _file.TryAllocate(offset, bytes);
    }

    /// <summary>Has segments of a file just created take space by whole huge pages of the system, in the order in which they come. The first store into one dirties all of it:
    /// where the rest had no space, the system would look for some then, block by block, and a full device would end the process (decision 59). In the
    /// file's first pages, which are small, each segment takes what it needs.</summary>
    /// <returns>False where it holds large objects, which take their space by pages.</returns>
    internal bool TryGrowByHugePages()
    {
        _growsByHugePages = Header.Kind == ExtentKind.Segments;
        return _growsByHugePages;
    }

    /// <summary>Fills the pages of a stretch that has space and holds nothing that counts with zeros, by a call, so that the system holds them, many at once,
    /// before they are stored into. Nobody else stores there meanwhile.</summary>
    /// <param name="dataOffset">Where it begins.</param>
    /// <param name="bytes">Its length.</param>
    /// <param name="pieceBytes">How many of them by one call, at most <see cref="FileLimits.FillBytes"/>.</param>
    internal void Fill(long dataOffset, long bytes, int pieceBytes)
    {
        for (long done = 0; done < bytes; done += pieceBytes)
        {
            _file.Write(ExtentHeader.ExtentPrefixBytes + dataOffset + done, _zeros.AsSpan(0, (int)long.Min(pieceBytes, bytes - done)));
        }
    }

    /// <summary>Takes the whole pages of a stretch out of the process's page tables; see <see cref="StoreFile.Detach"/>.</summary>
    internal void Detach(long dataOffset, long bytes)
    {
        long first = dataOffset & -Limits.OsPageBytes;
        _file.Detach(_dataAddress + (nint)first, Align.Up(dataOffset + bytes, Limits.OsPageBytes) - first);
    }

    /// <summary>Gives a stretch's space back; it must be allocated anew before it is used again.</summary>
    /// <returns>False where the file system can't.</returns>
    internal bool TryPunch(long dataOffset, long bytes)
    {
        // Before the hole is there: whoever allocates the stretch again, after this call, finds it.
        NoteHole();
        return _file.TryPunch(ExtentHeader.ExtentPrefixBytes + dataOffset, bytes);
    }

    /// <summary>Reads data without mapping it.</summary>
    internal void Read(long dataOffset, Span<byte> target) => _file.Read(ExtentHeader.ExtentPrefixBytes + dataOffset, target);

    /// <summary>Writes over a stretch with what it holds, so that the system takes it for new; nobody stores there meanwhile.</summary>
    /// <param name="dataOffset">Its first byte; negative for the prefix, header and rows.</param>
    /// <param name="bytes">Its length.</param>
    /// <param name="piece">Room for a piece of it.</param>
    internal void WriteAgain(long dataOffset, long bytes, Span<byte> piece)
    {
        long end = ExtentHeader.ExtentPrefixBytes + dataOffset + bytes;
        for (long offset = ExtentHeader.ExtentPrefixBytes + dataOffset; offset < end; offset += piece.Length)
        {
            piece = piece[..(int)long.Min(piece.Length, end - offset)];
            _file.Read(offset, piece);
            _file.Write(offset, piece);
        }
    }

    /// <summary>Returns when rows and data stored before are durable.</summary>
    internal void Sync() => _file.Sync();

    /// <inheritdoc cref="StoreFile.IsAskedDearly"/>
    internal bool IsAskedDearly => _file.IsAskedDearly;

    /// <inheritdoc cref="StoreFile.RequireWritten"/>
    internal void RequireWritten() => _file.RequireWritten();

    /// <summary>Unmaps and closes. The caller guarantees that nobody looks at rows or data any more.</summary>
    public void Dispose()
    {
        if (_dataAddress != 0)
        {
            _file.Unmap(_dataAddress, Header.DataBytes);
            _dataAddress = 0;
        }

        _rows?.Dispose();
        _file.Dispose();
    }

    /// <summary>Takes space for whole huge pages, unless it is taken.</summary>
    /// <param name="offset">Where the caller's own stretch begins in the file.</param>
    /// <param name="end">Up to where space is needed.</param>
    /// <returns>False where the file does not grow so, any more: the caller's stretch may have space or not.</returns>
    private bool TryGrow(long offset, long end)
    {
        if (!_growsByHugePages || end <= SmallPagesBytes || Volatile.Read(ref _hasHoles))
        {
            return false;
        }

        // Of what is taken here nobody has anything but the caller: who wants some of it waits for the lock, and finds it taken.
        using (_growing.EnterAnyhow())
        {
            if (end > _takenTo)
            {
                long from = long.Min(offset, long.Max(_takenTo, SmallPagesBytes));
                long to = long.Min(Align.Up(end, (long)Limits.HugePageBytes), Header.FileBytes);
                if (!_file.TryAllocate(from, to - from))
                {
                    NoteHole();
                    return false;
                }

                _takenTo = to;
            }

            return true;
        }
    }

    private void NoteHole()
    {
        // In this order: who sees it, and does not ask, may have the hole used at once.
        if (_growsByHugePages && !Volatile.Read(ref _hasHoles))
        {
            _file.AvoidHugePages(_dataAddress, Header.DataBytes);
        }

        Volatile.Write(ref _hasHoles, true);
    }

    private WordArray Rows() => (_rows ?? throw new InvalidOperationException($"'{Path}' is of large objects and has no segments.")).Words;

    private static MappedWords? RowsOf(RegionProvider regions, StoreFile file, in ExtentHeader header, bool writable) =>
        header.Kind == ExtentKind.Segments
            ? new MappedWords(regions, file, ExtentHeader.RowsOffset, ExtentHeader.SegmentsMax * SegmentRow.Bytes, writable)
            : null;

    private static ExtentHeader ReadHeader(StoreFile file, long fileBytes, ulong identity, bool readOnly, out string? damage)
    {
        if (fileBytes < ExtentHeader.ExtentPrefixBytes)
        {
            throw new PileCorruptedException($"'{file.Path}' is truncated: it has {fileBytes} bytes. Restore the file, or let PileSalvage.Run bring what is left into a new directory. Nothing was changed.", path: file.Path);
        }

        // Both by one call, and no garbage: a large pile has hundreds of files.
        Span<byte> prefix = stackalloc byte[ExtentHeader.ExtentPrefixBytes];
        file.Read(0, prefix);
        bool first = ExtentHeader.TryRead(prefix[..ExtentHeader.Bytes], out ExtentHeader header, out string? firstProblem);
        bool second = ExtentHeader.TryRead(prefix.Slice(ExtentHeader.CopyOffset, ExtentHeader.Bytes), out ExtentHeader copy, out string? secondProblem);
        if (!first && !second)
        {
            throw new PileCorruptedException(
                $"'{file.Path}' has no whole header: of the first, {firstProblem}; of its copy, {secondProblem}. Restore the file, or let PileSalvage.Run bring what is left into a new directory. Nothing was changed.", path: file.Path);
        }

        header = first ? header : copy;
        if (header.Identity != identity)
        {
            throw new PileFormatException(
                $"'{file.Path}' belongs to another pile (0x{header.Identity:X16}, not 0x{identity:X16}). Restore the file. Nothing was changed.", file.Path);
        }

        header.Features.Check(file.Path, readOnly);
        damage = !first ? $"header: {firstProblem}" : !second ? $"copy of the header: {secondProblem}" : null;
        return header;
    }

    private static void Compare(StoreFile file, long fileBytes, in ExtentHeader header, int firstRow)
    {
        if (header.FirstRow != firstRow)
        {
            throw new PileCorruptedException(
                $"'{file.Path}' is by its header the extent of '{StoreNames.OfExtent(header.FirstRow)}': a copy where a file of that name has the same header, else under a wrong name. Restore the file, or rename it. Nothing was changed.", path: file.Path);
        }

        if (fileBytes != header.FileBytes)
        {
            throw new PileCorruptedException(
                $"'{file.Path}' has {fileBytes} bytes instead of {header.FileBytes}: it is truncated, or something was written behind its end. Restore the file, or let PileSalvage.Run bring what is left into a new directory. Nothing was changed.", path: file.Path);
        }
    }
}
