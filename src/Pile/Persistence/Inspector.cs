// Looks at a pile's directory from outside: what names, headers, segment rows and the table say. It takes no lock and changes
// nothing, so that a pile may be open meanwhile; what does not hold is reported instead of thrown, as long as pile.meta holds.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>One inspection.</summary>
/// <param name="files">Source of files.</param>
/// <param name="regions">Source of address space.</param>
/// <param name="path">The directory.</param>
internal sealed class Inspector(FileProvider files, RegionProvider regions, string path)
{
    private const int PieceBytes = 1 << 20;

    // Some milliseconds.
    private const int MetaLooksMax = 24;
    private readonly string _path = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
    private readonly List<PileFile> _found = [];
    private readonly List<PileDamageReport> _damages = [];
    private int _segments;
    private long _segmentBytes;

    /// <summary>Looks.</summary>
    internal PileInspection Run(CancellationToken cancellationToken)
    {
        try
        {
            return Look(cancellationToken);
        }
        catch (FileCallException failure)
        {
            throw DirectoryErrors.For(failure, isOfPile: failure.Path.Length > _path.Length);
        }
    }

    private PileInspection Look(CancellationToken cancellationToken)
    {
        if (!files.Exists(_path))
        {
            throw new DirectoryNotFoundException($"There is no directory '{_path}'.");
        }

        _ = PileDirectory.MustCreate(files, _path, PileOpenMode.ReadOnly, out IReadOnlyList<string> names);
        MetaSlot meta;
        using (MetaFile file = OpenMeta())
        {
            meta = file.Slot;
            AddDamage(InDirectory(StoreNames.Meta), file.Damage is { } damage ? $"{damage}; the other holds, nothing is lost, and an open for writing mends it" : null);
        }

        foreach (string name in names)
        {
            if (name != StoreNames.Extents)
            {
                Add(name, KindOf(name));
            }
        }

        LookAtExtents(meta);
        (long? slots, long? objects) = LookAtTable(meta, cancellationToken);
        _found.Sort(static (one, other) => string.CompareOrdinal(one.Name, other.Name));
        return new PileInspection
        {
            Directory = _path,
            Identity = (long)meta.Identity,
            FormatVersion = (int)meta.Features.Version,
            Created = new DateTime(long.Clamp(meta.CreatedUtcTicks, 0, DateTime.MaxValue.Ticks), DateTimeKind.Utc),
            Promise = (PilePromise)meta.Promise,
            Tag = meta.Tag,
            IsClosed = meta.IsClean,
            IsTableTrusted = meta.TableTrusted && TableTrust.IsSameBoot(meta, files, _path),
            WriterProcessId = DirectoryLock.WriterOf(files, _path),
            Recoveries = meta.RecoveryCount,
            LossesAccepted = meta.LossAcceptedCount,
            SlotsIssued = slots,
            Objects = objects,
            Segments = _segments,
            SegmentBytes = _segmentBytes,
            Files = _found,
            Damages = _damages,
        };
    }

    /// <summary>Opens meta. A writer may be storing one of its slots at this moment: damage that does not stay is none.</summary>
    private MetaFile OpenMeta()
    {
        var spin = default(SpinWait);
        for (int look = 1; ; look++)
        {
            try
            {
                MetaFile meta = MetaFile.Open(files, InDirectory(StoreNames.Meta), readOnly: true);
                if (meta.Damage is null || look == MetaLooksMax)
                {
                    return meta;
                }

                meta.Dispose();
            }
            catch (PileFormatException) when (look < MetaLooksMax)
            {
                // One slot was being stored when it was read, and then the other.
            }

            spin.SpinOnce();
        }
    }

    private void LookAtExtents(MetaSlot meta)
    {
        List<int> rows = [];
        string directory = InDirectory(StoreNames.Extents);
        try
        {
            foreach (string name in files.List(directory))
            {
                Add(Path.Combine(StoreNames.Extents, name), PileFileKind.Other);
                if (StoreNames.IsExtent(name, out int row) && row < meta.ExtentRows)
                {
                    rows.Add(row);
                }
            }
        }
        catch (FileCallException failure)
        {
            AddDamage(directory, $"{failure.Message} The pile's extents are there: restore the directory with its files");
            return;
        }

        rows.Sort();
        int next = 1;
        foreach (int row in rows)
        {
            if (row > next)
            {
                AddDamage(Path.Combine(directory, StoreNames.OfExtent(next)), "it is missing: restore the file");
            }

            next = LookAtExtent(directory, row, meta);
        }

        if (next < meta.ExtentRows)
        {
            AddDamage(Path.Combine(directory, StoreNames.OfExtent(next)), "it is missing: restore the file");
        }
    }

    private int LookAtExtent(string directory, int row, MetaSlot meta)
    {
        string file = Path.Combine(directory, StoreNames.OfExtent(row));
        try
        {
            using var extent = ExtentFile.Open(files, regions, file, row, meta.Identity, readOnly: true);
            AddDamage(file, extent.Damage is { } damage ? $"{damage}; the other holds, nothing is lost, and an open for writing mends it" : null);
            int index = _found.FindIndex(found => found.Name == Path.Combine(StoreNames.Extents, StoreNames.OfExtent(row)));
            if (index >= 0)
            {
                _found[index] = _found[index] with { Kind = extent.Header.Kind == ExtentKind.Segments ? PileFileKind.Segments : PileFileKind.LargeObjects };
            }

            CountSegments(extent, meta.Identity);
            return row + extent.Header.Rows;
        }
        catch (Exception failure) when (failure is PileException or FileCallException)
        {
            AddDamage(file, failure.Message);
            return row + 1;
        }
    }

    private void CountSegments(ExtentFile extent, ulong identity)
    {
        for (int index = 0; index < extent.Header.Segments; index++)
        {
            long location = extent.FirstLocation + ((long)index * extent.Header.SegmentBytes / Limits.WordBytes);
            bool isRow = SegmentRow.TryParse(extent.ReadRow(index), identity, location, out SegmentRow row);
            if (!isRow)
            {
                AddDamage(extent.Path, $"the row of its segment {index}; the segment's header stands in for it");
            }

            if (!isRow || row.State != SegmentRowState.Absent)
            {
                _segments++;
                _segmentBytes += extent.Header.SegmentBytes;
            }
        }
    }

    /// <summary>What the table says: the slots issued and, where it was closed in order, the objects alive.</summary>
    private (long? Slots, long? Objects) LookAtTable(MetaSlot meta, CancellationToken cancellationToken)
    {
        if (meta.TableFile == 0)
        {
            return (null, null);
        }

        string path = InDirectory(StoreNames.OfTable(meta.TableFile));
        try
        {
            using StoreFile file = files.Open(path, FileOpening.ReadOnly);
            byte[] bytes = new byte[TableHeader.Bytes];
            file.Read(0, bytes);
            if (!TableHeader.TryRead(bytes, out TableHeader header, out string? problem) || header.Identity != meta.Identity || header.Number != meta.TableFile)
            {
                AddDamage(path, $"{problem ?? "it belongs to another pile or is another table's copy"}; the next open builds it anew from the records");
                return (null, null);
            }

            var sums = new SumsFiles(files, _path, meta.Identity);
            bool isSummed = sums.AreDue(meta);
            if (isSummed)
            {
                _ = sums.TryRead(file, meta.TableFile, out _, out problem);
                AddDamage(path, problem is null ? null : $"{problem}; the next open builds the table anew from the records");
            }

            uint highWater = uint.Max(Limits.FirstSlot, TableFile.HighWaterIn(bytes));
            return (highWater - Limits.FirstSlot, isSummed && problem is null ? CountObjects(file, highWater, cancellationToken) : null);
        }
        catch (IOException failure)
        {
            AddDamage(path, $"{failure.Message} The next open builds it anew from the records");
            return (null, null);
        }
    }

    private static long CountObjects(StoreFile file, uint highWater, CancellationToken cancellationToken)
    {
        byte[] piece = new byte[PieceBytes];
        long objects = 0;
        long end = (long)highWater * Limits.WordBytes;
        for (long offset = 0; offset < end; offset += PieceBytes)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Span<byte> read = piece.AsSpan(0, (int)long.Min(PieceBytes, end - offset));
            file.Read(TableHeader.Bytes + offset, read);
            foreach (ulong entry in MemoryMarshal.Cast<byte, ulong>(read))
            {
                objects += EntryWord.IsLive(entry) ? 1 : 0;
            }
        }

        return objects;
    }

    private void Add(string name, PileFileKind kind)
    {
        try
        {
            using StoreFile file = files.Open(InDirectory(name), FileOpening.ReadOnly);
            _found.Add(new PileFile(name, kind, file.Bytes, file.TakenBytes));
        }
        catch (FileCallException failure)
        {
            if (kind != PileFileKind.Other && failure.Failure != FileFailure.Missing)
            {
                AddDamage(InDirectory(name), failure.Message);
            }
        }
    }

    private static PileFileKind KindOf(string name) =>
        name == StoreNames.Meta ? PileFileKind.Meta
        : name == StoreNames.Lock ? PileFileKind.Lock
        : StoreNames.IsTable(name, out _) ? PileFileKind.Table
        : StoreNames.IsSums(name, out _) ? PileFileKind.TableSums
        : StoreNames.IsCheckpoint(name, out _) ? PileFileKind.Checkpoint
        : StoreNames.IsFloors(name, out _) ? PileFileKind.Floors
        : StoreNames.IsIndex(name, out _) ? PileFileKind.CacheIndex
        : name == StoreNames.CacheFacts ? PileFileKind.CacheFacts
        : name == StoreNames.CacheTables ? PileFileKind.CacheTables
        : PileFileKind.Other;

    private void AddDamage(string file, string? what)
    {
        if (what is not null)
        {
            // Messages of exceptions name the file themselves.
            string named = $"'{file}'";
            _damages.Add(new PileDamageReport(file, what.StartsWith(named, StringComparison.Ordinal) ? what[named.Length..].TrimStart(':', ' ') : what));
        }
    }

    private string InDirectory(string name) => Path.Combine(_path, name);
}
