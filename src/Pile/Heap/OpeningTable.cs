// The file of the object table, while a directory is being opened: mapped where it is believed, else made anew. A table that the log
// gives again is built in memory, by all cores, and then written as a whole: page after page through a mapping the file system would
// have as much to do as the crawl. Where it could take too much memory it is built in its file all the same.
using System;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>The table's file of one open.</summary>
/// <param name="directory">The directory.</param>
/// <param name="regions">Where tables and segments lie.</param>
/// <param name="memory">Source of address space.</param>
/// <param name="core">The heap.</param>
internal sealed class OpeningTable(PileDirectory directory, FileRegions regions, RegionProvider memory, HeapCore<DurableRecord> core)
{
    // Of the machine's memory, for a table until it is stored.
    private const int MemoryFraction = 8;
    private uint _created;

    /// <summary>The file; null for none: nothing is stored, or not yet.</summary>
    internal TableFile? File { get; private set; }

    /// <summary>Maps a file that is believed.</summary>
    internal void Map(StoreFile file, uint number)
    {
        File = MapOrDispose(file, number, !directory.IsReadOnly);
        Attach(File);
    }

    /// <summary>Continues with the slots of a file that is believed.</summary>
    internal void Restore()
    {
        Restore(File!.HighWater);
        Fault.Stop(StopPoint.RecoveryTable);
    }

    /// <summary>Continues with slots that were issued before, at least the first one.</summary>
    internal void Restore(uint highWater)
    {
        if (!core.Slots.TryRestore(uint.Max(highWater, Limits.FirstSlot)))
        {
            throw new PileFullException($"'{directory.FullPath}': DiskLimitBytes leaves no room for the {highWater:N0} entries of the table. Raise it.", path: directory.FullPath);
        }
    }

    /// <summary>Prepares for a table that is built.</summary>
    /// <param name="logBytes">Bytes of records that there may be: they say how many slots there are at the most.</param>
    internal void Begin(long logBytes)
    {
        long slots = logBytes / DurableRecord.HeaderBytes;
        if (directory.IsReadOnly || (slots * Limits.WordBytes <= memory.MachineMemoryBytes / MemoryFraction && !Fault.TrustedEarly))
        {
            core.Table.PreferHugePages(slots);
            core.Table.IsPopulated = true;
            return;
        }

        File = MapOrDispose(Create(), _created, isWritable: true);
        Attach(File);
        if (Fault.TrustedEarly)
        {
            (Guid boot, ulong fingerprint) = (TableTrust.BootOf(directory), directory.FingerprintOf(File.File));
            directory.WriteMeta(meta => meta with { TableTrusted = true, BootId = boot, FilesFingerprint = fingerprint, TableFile = _created });
        }

        Fault.Stop(StopPoint.RecoveryTable);
    }

    /// <summary>Stores a table that was built.</summary>
    /// <param name="cores">Who writes.</param>
    /// <exception cref="PileFullException">The device has no room for it.</exception>
    internal void End(AllCores cores)
    {
        if (directory.IsReadOnly || File is not null)
        {
            return;
        }

        long slots = core.Table.End;
        long bytes = Align.Up(slots * Limits.WordBytes, (long)Limits.OsPageBytes);
        StoreFile file = Create();
        try
        {
            Fault.Stop(StopPoint.RecoveryTable);
            if (!file.TryAllocate(TableHeader.Bytes, bytes))
            {
                throw new PileFullException($"'{file.Path}': the device has no room for the object table, which is built anew. Free space on it, then open the pile again.", path: file.Path);
            }

            Fault.Stop(StopPoint.TableAllocated);
            cores.Run((int)((slots + FileLimits.TablePieceSlots - 1) / FileLimits.TablePieceSlots), piece =>
            {
                long first = (long)piece * FileLimits.TablePieceSlots;
                file.Write(TableHeader.Bytes + (first * Limits.WordBytes), core.Table.Entries.Bytes((uint)first, (int)long.Min(FileLimits.TablePieceSlots, slots - first)));
            });
        }
        catch
        {
            file.Dispose();
            throw;
        }

        File = MapOrDispose(file, _created, isWritable: true);
        Attach(File);
        File.HighWater = core.Slots.HighWater;
    }

    /// <summary>Takes it apart after an open that failed.</summary>
    internal void Abandon()
    {
        File?.Dispose();
        directory.ForgetTable(_created);
    }

    private StoreFile Create()
    {
        uint number = uint.Max(1, directory.Meta.TableFile + 1);
        while (directory.HasTable(number) && !directory.TryDeleteTable(number))
        {
            // A directory of that name is not ours.
            number++;
        }

        StoreFile file = directory.CreateTable(number, 0);
        _created = number;
        return file;
    }

    private TableFile MapOrDispose(StoreFile file, uint number, bool isWritable)
    {
        try
        {
            return new TableFile(file, number, core.Table.Region, memory, isWritable);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private void Attach(TableFile table)
    {
        regions.Attach(table);
        if (!directory.IsReadOnly)
        {
            core.Table.NoteHighWater = highWater => table.HighWater = highWater;
        }
    }
}
