// Decides whether the table of a directory can be believed (R1), or must be built from the log: believed when the pile was closed
// in order, or when its process ended in this boot of the machine over these very files. Anything unknown: the log.
using System;
using System.Diagnostics.CodeAnalysis;
using Pile.Format;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>How a directory is to be opened.</summary>
/// <param name="Opening">How.</param>
/// <param name="Reason">Why, in words.</param>
/// <param name="Table">The table file, when it is believed.</param>
/// <param name="Sums">Checksums of its pages, when it was closed in order.</param>
/// <param name="IsLeft">Whether the table is as a process of this boot left it that was killed, and not believed because it can't be rolled forward for reading alone.</param>
internal readonly record struct TableTrust(PileOpening Opening, string Reason, StoreFile? Table, PageSums? Sums = null, bool IsLeft = false)
{
    /// <summary>Whether the table is believed.</summary>
    [MemberNotNullWhen(true, nameof(Table))]
    internal bool IsTrusted => Table is not null;

    /// <summary>Looks at meta, files and boot.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="slotsMax">The most slots that this open has address space for.</param>
    /// <param name="builds">Whether the table is not asked, whatever it is like.</param>
    internal static TableTrust Decide(PileDirectory directory, uint slotsMax, bool builds = false)
    {
        MetaSlot meta = directory.Meta;
        if (builds)
        {
            return Crawl("all records were to be read");
        }

        if (directory.WasCreated)
        {
            return new TableTrust(PileOpening.Created, "the directory held no pile", null);
        }

        if (meta.SyncFailedAboveFlush >= 0)
        {
            return Crawl($"a sync failed above flush {meta.SyncFailedAboveFlush}: what the system holds of the files can't be believed");
        }

        if (meta.TableFile == 0)
        {
            return Crawl("it has no table: it is a copy that was not opened for writing since, or the table was damaged when it was closed");
        }

        if (!directory.TryOpenTable(meta.TableFile, uint.Min(slotsMax, meta.SlotsMax), out StoreFile? file, out string? problem))
        {
            return Crawl(problem);
        }

        try
        {
            return OfTable(directory, file);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Decides about a table that is there. Its file is disposed where it is not trusted.</summary>
    private static TableTrust OfTable(PileDirectory directory, StoreFile file)
    {
        MetaSlot meta = directory.Meta;
        if (directory.Sums.AreDue(meta))
        {
            if (directory.Sums.TryRead(file, meta.TableFile, out PageSums? sums, out string? problem))
            {
                return new TableTrust(PileOpening.Clean, "it had been closed in order", file, sums);
            }

            file.Dispose();
            return Crawl(problem);
        }

        bool isSameBoot = IsSameBoot(meta, directory);
        if (isSameBoot && !directory.IsReadOnly && LossOf(file.RequireWritten) is { } loss)
        {
            file.Dispose();

            // Nobody is told twice: whoever opens it after an open that does not come to its end must know. Of a PowerSafe pile it counts as a failed sync: the same device may have
            // refused pages of extents, of which the process was told, and could not note it.
            directory.WriteMeta(static slot => slot with
            {
                TableTrusted = false,
                SyncFailedAboveFlush = slot.IsClean || slot.Promise != (byte)PilePromise.PowerSafe ? slot.SyncFailedAboveFlush : 0,
            });
            return Crawl($"the system could not write all of its table ({loss})");
        }

        if (isSameBoot && meta.TableTrusted && !directory.IsReadOnly && directory.FingerprintOf(file) == meta.FilesFingerprint)
        {
            return new TableTrust(
                PileOpening.RolledForward,
                meta.IsClean ? "it had been closed in order, without sums of its table, in this boot of the machine" : "its process ended without closing it, in this boot of the machine",
                file);
        }

        file.Dispose();
        string reason = meta.IsClean ? "it had been closed in order, but its table has no sums: the device had no room for them, or they were removed"
            : !isSameBoot ? "it was not closed in order before the machine started anew, its file system was mounted anew, or its files were copied to another one"
            : !meta.TableTrusted ? "its table was found damaged, or its process ended while it cleared the pile"
            : directory.IsReadOnly ? "it was not closed in order, and is opened for reading alone"
            : "it was not closed in order, and its files are not the same files any more";
        return Crawl(reason) with { IsLeft = directory.IsReadOnly && IsOfThisBoot(meta, directory) };
    }

    /// <summary>Notes in meta, before anything else is done, that nothing is to be believed of extents whose pages the system could not write back for a process that was killed
    /// before it asked. Not where they are read alone: nobody is told twice, and who can't note it would keep it from who can.</summary>
    internal static void NoteLostExtents(PileDirectory directory)
    {
        bool isNoted = directory.Meta.SyncFailedAboveFlush >= 0;
        if (directory.IsReadOnly || directory.Meta.IsClean || (!isNoted && !IsSameBoot(directory.Meta, directory)))
        {
            return;
        }

        if (!isNoted)
        {
            // Unchanged, and before anybody is asked: on a device that takes no note the open ends here, and the next one is told.
            directory.WriteMeta(static slot => slot);
        }

        // All, though one is enough: a sync of this open would be told of another, and end it.
        foreach (ExtentFile extent in directory.Extents)
        {
            if (LossOf(extent.RequireWritten) is not null && !isNoted)
            {
                // Which of its flushes were complete it took with it.
                directory.WriteMeta(static slot => slot with { TableTrusted = false, SyncFailedAboveFlush = 0 });
                isNoted = true;
            }
        }
    }

    /// <summary>What befell pages of a file that nobody has been told of: the process that stored them was killed.</summary>
    private static string? LossOf(Action requireWritten)
    {
        try
        {
            requireWritten();
            return null;
        }
        catch (FileCallException failure)
        {
            return failure.Message.TrimEnd('.');
        }
    }

    /// <summary>The boot of the machine, and the mount of the file system, in which a directory is open.</summary>
    internal static Guid BootOf(PileDirectory directory) => BootOf(directory.Files, directory.FullPath);

    private static Guid BootOf(FileProvider files, string path) => files.BootOf(path, System.IO.Path.Combine(path, StoreNames.Extents));

    /// <summary>Whether the machine has not been started anew, nor the file system mounted anew, since the pile was last opened for writing, and the system's pages of
    /// the files can be believed.</summary>
    internal static bool IsSameBoot(MetaSlot meta, PileDirectory directory) => IsSameBoot(meta, directory.Files, directory.FullPath);

    /// <summary>As the one above, for a directory that is not open.</summary>
    internal static bool IsSameBoot(MetaSlot meta, FileProvider files, string path) =>
        meta.BootId == BootOf(files, path) && meta.BootId != Guid.Empty && meta.SyncFailedAboveFlush < 0;

    /// <summary>Whether what a table says of segments is of no time before theirs: a process of this boot left both, or both were copied from where it had.</summary>
    internal static bool IsOfThisBoot(MetaSlot meta, PileDirectory directory) => meta.TableTrusted && IsSameBoot(meta, directory);

    private static TableTrust Crawl(string reason) => new(PileOpening.Crawled, reason, null);
}
