// Regions that stand in files: the extents of a pile's flat space and its table. Everything else (bitmaps, rows of the extent map)
// stays memory. To those who allocate segments, runs and slots it is the same seam as memory; here a stretch takes space on
// the device before it may be stored into, and giving back punches a hole.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>The regions of one directory. Thread-safe.</summary>
internal sealed class FileRegions(RegionProvider memory, PileDirectory directory) : RegionProvider
{
    private readonly Lock _gate = new();
    private readonly List<ExtentFile> _taken = [];
    private Backing?[] _byRow = [];
    private TableFile? _table;
    private nint _flat;
    private long _flushesAtFill;
    private bool _hasOutgrown;
    private FileCallException? _wantOfFile;
    private bool _lacksSpace;

    /// <inheritdoc/>
    internal override long MachineMemoryBytes => memory.MachineMemoryBytes;

    internal override bool ReservesFreely => memory.ReservesFreely;

    internal override bool IsCrowded => memory.IsCrowded;

    internal override bool ReadsBeyondAllocated => false;

    internal override bool KeepsSegmentRows => true;

    internal override int ExtentSkewBytes => ExtentHeader.ExtentPrefixBytes;

    internal override int WordsSkewBytes => TableHeader.Bytes;

    /// <summary>Tells which region is the table's, once it is reserved and its file is open.</summary>
    internal void Attach(TableFile table) => _table = table;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => memory.TryMap(bytes, alignmentBytes, out region);

    internal override bool TryReserve(long bytes, long alignmentBytes, out Region region) => memory.TryReserve(bytes, alignmentBytes, out region);

    // Files are mapped over what is reserved.
    internal override bool TryOpen(in Region region, long offset, long bytes) => IsTable(region) || memory.TryOpen(region, offset, bytes);

    internal override void Unmap(in Region region) => memory.Unmap(region);

    // What is filled before it is used is not populated ahead: each flush would write that, and the same pages again once they are used.
    internal override bool TryPopulate(in Region region, long offset, long bytes) =>
        (FillsBeforeUse && BackingOf(region) is not null) || memory.TryPopulate(region, offset, bytes);

    internal override bool FillsBeforeUse => FilledFor is not null;

    internal override void Fill(in Region region, long offset, long bytes)
    {
        Backing backing = BackingOf(region)!;
        long fileOffset = backing.OffsetOf(region) + offset;

        // A flush writes whole what the system was given together.
        long flushes = FilledFor!.Started;
        int pieceBytes = flushes - Interlocked.Exchange(ref _flushesAtFill, flushes) >= FileLimits.FlushesOfLittle ? Limits.OsPageBytes : FileLimits.FillBytes;
        _ = Guard(() =>
        {
            try
            {
                backing.File.Fill(fileOffset, bytes, pieceBytes);
            }
            catch (FileCallException failure) when (failure.Failure == FileFailure.TooLong)
            {
                // The process may write no longer files, by calls; stores through the mapping go on, and find the pages for themselves.
            }
        });
    }

    internal override void PreferHugePages(in Region region, long offset, long bytes)
    {
        if (BackingOf(region) is null && !IsTable(region))
        {
            memory.PreferHugePages(region, offset, bytes);
        }
    }

    internal override SpaceBlocks Blocks => PrefersHugePages ? new SpaceBlocks(ExtentFile.SmallDataBytes, Limits.HugePageBytes) : default;

    internal override bool TryGiveBack(in Region region, long offset, long bytes)
    {
        if (BackingOf(region) is { } backing)
        {
            bool isPunched = false;
            long fileOffset = backing.OffsetOf(region) + offset;
            return Guard(() => isPunched = backing.File.TryPunch(fileOffset, bytes)) && isPunched;
        }

        // Entries hold tombstones and generations: they are given back with the file.
        return !IsTable(region) && memory.TryGiveBack(region, offset, bytes);
    }

    internal override long TakenBytes(in Region region)
    {
        long bytes = 0;
        return BackingOf(region) is { } backing && Guard(() => bytes = backing.File.TakenBytes) ? bytes : 0;
    }

    internal override bool TryBack(int extent, int extents, int segmentBytes, in Region region)
    {
        using (_gate.EnterAnyhow())
        {
            _wantOfFile = null;
            _lacksSpace = false;
            _flat = region.Address - (nint)((long)extent * Limits.ExtentBytes);
            ExtentFile? found = Find(extent);
            if ((found ?? TryCreate(extent, extents, segmentBytes)) is not { } file)
            {
                return false;
            }

            nint address = region.Address;
            if (!Guard(() => file.MapData(address, !directory.IsReadOnly)))
            {
                return false;
            }

            Advise(extent + extents, isCreated: found is null, file, region);
            Backing?[] byRow = _byRow;
            if (byRow.Length < extent + extents)
            {
                Array.Resize(ref byRow, int.Max(extent + extents, int.Min(Limits.ExtentsMax, byRow.Length * 2)));
            }

            var backing = new Backing(file, region.Address) { IsDirty = found is not null };
            for (int row = extent; row < extent + extents; row++)
            {
                byRow[row] = backing;
            }

            // Release: who looks a row up without the lock finds it filled.
            Volatile.Write(ref _byRow, byRow);
            return true;
        }
    }

    /// <summary>Calls the files where nothing may throw; false when they failed. Until the pile is open a failure is the open's.</summary>
    internal Func<Action, bool> Guard { get; set; } = static call =>
    {
        call();
        return true;
    };

    /// <summary>Whether extents that are created ask for huge pages, until the pile outgrows half of the machine's memory (decision 39); others may have them from the process before.</summary>
    internal bool PrefersHugePages { get; set; }

    /// <summary>The flushes for which segments are filled before they are stored into for the first time (decision 49); null when they are not.</summary>
    internal FlushClock? FilledFor { get; set; }

    /// <summary>What refuses growth before the device is full, once the pile is open.</summary>
    internal SpaceWatch? Watch { get; set; }

    /// <summary>The failure of the last growth, where the process may have no other file, or none so long; null when it was another, or none. For messages.</summary>
    internal FileCallException? WantOfFile => Volatile.Read(ref _wantOfFile);

    /// <inheritdoc/>
    internal override bool LacksSpace => _lacksSpace;

    /// <inheritdoc/>
    internal override bool IsLow => Watch?.IsLow == true;

    /// <inheritdoc/>
    internal override bool HasRoomToDelete(long bytes) => Watch?.HasRoomToDelete(bytes) == true;

    internal override bool TryAllocate(in Region region, long offset, long bytes, bool isForCleaner) => TryTake(region, offset, bytes, isForCleaner, isKept: false);

    internal override bool TryAllocateKept(in Region region, long offset, long bytes) => TryTake(region, offset, bytes, isForCleaner: true, isKept: true);

    private bool TryTake(in Region region, long offset, long bytes, bool isForCleaner, bool isKept)
    {
        Backing? backing = BackingOf(region);
        if (backing is null && (!IsTable(region) || _table!.HasAllocated(offset + bytes)))
        {
            return true;
        }

        bool isAllocated = false;
        long fileOffset = offset + (backing?.OffsetOf(region) ?? 0);
        return Guard(() => isAllocated = (isKept || (isForCleaner ? Watch?.HasRoomToClean(bytes) : Watch?.HasRoom(bytes)) != false)
            && (backing?.File.TryAllocate(fileOffset, bytes) ?? _table!.TryAllocate(fileOffset, bytes))) && isAllocated;
    }

    /// <summary>Takes a stretch of an extent out of the process's page tables; see <see cref="StoreFile.Detach"/>.</summary>
    internal void Detach(in Region region, long offset, long bytes)
    {
        Backing backing = BackingOf(region)!;
        backing.File.Detach(backing.OffsetOf(region) + offset, bytes);
    }

    /// <summary>Reads a stretch of an extent by a call, whether or not it has space.</summary>
    /// <returns>False when that fails, which is left to who stores there.</returns>
    internal bool TryRead(in Region region, long offset, Span<byte> target)
    {
        Backing backing = BackingOf(region)!;
        try
        {
            backing.File.Read(backing.OffsetOf(region) + offset, target);
            return true;
        }
        catch (FileCallException)
        {
            return false;
        }
    }

    internal override void ReadAhead(in Region region, long offset, long bytes)
    {
        Backing backing = BackingOf(region)!;
        backing.File.ReadAhead(backing.OffsetOf(region) + offset, bytes);
    }

    internal override void MarkDirty(in Region region) => Volatile.Write(ref BackingOf(region)!.IsDirty, true);

    internal override void WriteSegmentRow(in Region region, int index, ulong word) => BackingOf(region)!.File.WriteRow(index, word);

    /// <summary>The extent files that something was stored in since what an earlier call returned was synced (<see cref="NoteSynced"/>). By the flusher.</summary>
    internal List<ExtentFile> TakeDirty()
    {
        // Before any is forgotten: where there is no memory all stay what they are.
        Backing?[] byRow = Volatile.Read(ref _byRow);
        bool hasLeft = _taken.Count > 0;
        _ = _taken.EnsureCapacity(_taken.Count + byRow.Length);
        foreach (Backing? backing in byRow)
        {
            if (backing is not null && Volatile.Read(ref backing.IsDirty))
            {
                backing.IsDirty = false;
                if (!hasLeft || !_taken.Contains(backing.File))
                {
                    _taken.Add(backing.File);
                }
            }
        }

        // Whoever stores from here on marks again; what was stored before is in the sync that follows.
        Interlocked.MemoryBarrier();
        return _taken;
    }

    /// <summary>Notes that what <see cref="TakeDirty"/> returned was synced.</summary>
    internal void NoteSynced() => _taken.Clear();

    private ExtentFile? Find(int extent)
    {
        foreach (ExtentFile file in directory.Extents)
        {
            if (file.Header.FirstRow == extent)
            {
                return file;
            }
        }

        return null;
    }

    private ExtentFile? TryCreate(int extent, int extents, int segmentBytes)
    {
        ExtentFile? file = null;
        return Guard(() =>
        {
            try
            {
                file = directory.CreateExtent(extent, extents, segmentBytes == 0 ? ExtentKind.Large : ExtentKind.Segments, segmentBytes);
            }
            catch (Exception failure) when (failure is FileCallException { Failure: FileFailure.NoSpace or FileFailure.NoHandle or FileFailure.TooLong, IsSync: false } or PileException)
            {
                // No room for another extent, on the device, among the process's mappings or its open files, or within the length of its files: the caller cleans, or answers Full.
                _wantOfFile = failure is FileCallException { Failure: FileFailure.NoHandle or FileFailure.TooLong } want ? want : null;
                _lacksSpace = failure is PileException;
                return;
            }

            Fault.Stop(StopPoint.ExtentCreated);
            ulong fingerprint = directory.FingerprintOf(_table?.File);
            directory.WriteMeta(meta => meta with { ExtentRows = extent + extents, FilesFingerprint = fingerprint });
        }) ? file : null;
    }

    private void Advise(int extentsEnd, bool isCreated, ExtentFile file, in Region region)
    {
        long bytes = (long)extentsEnd * Limits.ExtentBytes;
        if (PrefersHugePages && !_hasOutgrown && bytes > memory.MachineMemoryBytes / 2)
        {
            _hasOutgrown = true;
            memory.AvoidHugePages(new Region(_flat, bytes, 0), Limits.ExtentBytes, bytes - Limits.ExtentBytes);
        }

        if (PrefersHugePages && !_hasOutgrown && isCreated && file.TryGrowByHugePages())
        {
            memory.PreferHugePages(region, ExtentFile.SmallDataBytes, region.Bytes - ExtentFile.SmallDataBytes);
        }
    }

    private bool IsTable(in Region region) => _table is { } table && region.Address == table.Region.Address;

    private Backing? BackingOf(in Region region)
    {
        Backing?[] byRow = Volatile.Read(ref _byRow);
        long row = (region.Address - _flat) / Limits.ExtentBytes;
        return region.Address >= _flat && row < byRow.Length ? byRow[row] : null;
    }

    private sealed class Backing(ExtentFile file, nint address)
    {
        /// <summary>Whether something was stored in it since the last sync; from the beginning in a file that was found, because the
        /// process before may have been killed: then its stores become durable by the first flush of this one.</summary>
        internal bool IsDirty;

        internal ExtentFile File => file;

        /// <summary>Where a region within the extent begins in the file's data.</summary>
        internal long OffsetOf(in Region region) => region.Address - address;
    }
}
