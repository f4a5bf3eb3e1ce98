// The files of table checksums in a pile's directory: written before meta says that the pile was closed in order, read by the open
// that finds it so. Another open's are of no use, and are removed.
using System;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>Files of sums.</summary>
/// <param name="files">Source of files.</param>
/// <param name="directory">The pile's directory, with its full path.</param>
/// <param name="identity">The pile's identity.</param>
internal readonly struct SumsFiles(FileProvider files, string directory, ulong identity)
{
    private const int PageBytes = Limits.TablePageSlots * Limits.WordBytes;

    /// <summary>Writes a file of sums, durable with its name; it counts once meta says that the pile was closed in order.</summary>
    /// <returns>False when the device has no room for it.</returns>
    internal bool TryWrite(PageSums sums)
    {
        try
        {
            SideFiles.Write(files, directory, StoreNames.OfSums(sums.Number), sums.ToBytes());
            return true;
        }
        catch (FileCallException failure) when (failure.Failure is FileFailure.NoSpace or FileFailure.TooLong)
        {
            // Those of an earlier close are gone, and may not come back with a power cut: they say nothing of the table of now.
            files.SyncDirectory(directory);
            return false;
        }
    }

    /// <summary>Whether the open of a pile goes by the sums of its table: it was closed in order, and not on a device without room for them.</summary>
    internal bool AreDue(MetaSlot meta) =>
        meta.IsClean && (!meta.TableTrusted || files.Exists(InDirectory(StoreNames.OfSums(meta.TableFile))));

    /// <summary>Reads the sums of a table, and compares its header and the pages of the pile's own records with them: without those
    /// nothing else can be read. Where a cache has durable tables, all pages: a slot that is not believed would look like an entry that is
    /// not there. Sums that can't be used, and a table that is not what they say, are no failure of the pile: the table is derived from the
    /// log.</summary>
    /// <param name="table">The table's file, its header checked.</param>
    /// <param name="number">Its number.</param>
    /// <param name="sums">Its sums.</param>
    /// <param name="problem">Why there are none.</param>
    internal bool TryRead(StoreFile table, uint number, [NotNullWhen(true)] out PageSums? sums, [NotNullWhen(false)] out string? problem)
    {
        sums = null;
        string path = InDirectory(StoreNames.OfSums(number));
        try
        {
            byte[] header = new byte[TableHeader.Bytes];
            table.Read(0, header);
            using StoreFile file = files.Open(path, FileOpening.ReadOnly);
            int length = PageSums.BytesOf(TableFile.HighWaterIn(header));
            byte[] bytes = new byte[length];
            file.Read(0, bytes);
            problem = file.Bytes != length ? $"'{path}' has {file.Bytes} bytes instead of {length}"
                : !PageSums.TryRead(bytes, out sums, out string? why) ? $"'{path}': {why}"
                : sums.Identity != identity || sums.Number != number ? $"'{path}' belongs to another table"
                : sums.HighWater != TableFile.HighWaterIn(header) || sums.HeaderSum != TableFile.HeaderSumIn(header) ? $"'{table.Path}': its header is not what '{path}' says"
                : HasDamagedInternals(table, header, sums) ? $"'{table.Path}' is not what '{path}' says, where the pile's own records are"
                : files.Exists(InDirectory(StoreNames.CacheTables)) && HasDamage(table, sums) ? $"'{table.Path}' is not what '{path}' says, and durable tables of the cache need all of it"
                : null;
        }
        catch (IOException failure)
        {
            problem = failure is FileCallException { Failure: FileFailure.Missing } missing ? $"the file of its table's checksums, '{missing.Path}', is missing" : failure.Message;
        }

        return problem is null;
    }

    private static bool HasDamagedInternals(StoreFile table, byte[] header, PageSums sums)
    {
        byte[] bytes = new byte[PageBytes];
        int last = -1;
        foreach (uint slot in TableFile.InternalsIn(header))
        {
            // Neighbours share a page: each is read once.
            int page = (int)(slot / Limits.TablePageSlots);
            if (page != last && page < sums.Sums.Length)
            {
                last = page;
                if (IsDamaged(table, sums, page, bytes))
                {
                    return true;
                }
            }
        }

        return false;
    }

    private static bool HasDamage(StoreFile table, PageSums sums)
    {
        int taken = 0;
        int damaged = 0;
        AllCores.Share(sums.Sums.Length * (long)PageBytes, FileLimits.VerifyShareBytes, () =>
        {
            byte[] bytes = new byte[PageBytes];
            for (int page = Interlocked.Increment(ref taken) - 1; page < sums.Sums.Length && Volatile.Read(ref damaged) == 0; page = Interlocked.Increment(ref taken) - 1)
            {
                if (IsDamaged(table, sums, page, bytes))
                {
                    Volatile.Write(ref damaged, 1);
                }
            }
        });
        return damaged != 0;
    }

    private static bool IsDamaged(StoreFile table, PageSums sums, int page, byte[] bytes)
    {
        Span<byte> entries = bytes.AsSpan(0, (int)sums.SlotsOf(page) * Limits.WordBytes);
        table.Read(TableHeader.Bytes + ((long)page * PageBytes), entries);
        return Crc32C.Compute(entries) != sums.Sums[page];
    }

    /// <summary>Removes the sums of tables that are there no more.</summary>
    internal void DeleteOthers(uint kept) => _ = SideFiles.TryDeleteOthers(files, directory, StoreNames.IsSums, kept);

    private string InDirectory(string name) => Path.Combine(directory, name);
}
