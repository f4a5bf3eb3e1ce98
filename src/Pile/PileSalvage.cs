// Brings what is whole of a damaged pile into a new directory. The damaged one is only read: it can be looked at again, by other
// means, with the files of a backup beside it. An open with AcceptLoss goes on in the same files instead.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;

namespace Pile;

/// <summary>Salvage of a damaged pile.</summary>
public static class PileSalvage
{
    /// <summary>Copies all that is whole to a new directory, which is a pile with the same pointers and promise that verifies.</summary>
    /// <param name="source">The directory of the damaged pile. Nothing in it is changed; nobody may have it open for writing.</param>
    /// <param name="target">A directory that is missing or empty.</param>
    /// <param name="reading">Gets the progress of the first part, which reads all records; null for none.</param>
    /// <param name="copying">Gets the progress of the second; null for none.</param>
    /// <param name="cancellationToken">Ends it. What was written is removed, as after a failure.</param>
    /// <returns>What was copied and what was dropped.</returns>
    /// <exception cref="PileLockedException">The damaged pile is open.</exception>
    /// <exception cref="PileFormatException">What is there is no pile, or a newer version's, or its <c>pile.meta</c> can't be read.</exception>
    /// <exception cref="PileCorruptedException">No extent is left, two files claim the same part of the pile, or one stands under the name of another: restore or rename them first.</exception>
    /// <exception cref="PileFullException">The device of the new directory is full.</exception>
    /// <exception cref="IOException">The new directory holds something, or a call of the files failed.</exception>
    /// <remarks>The table is built from the records; that of before is asked only which segments hold some. An object whose bytes are damaged is deleted in the new pile, its
    /// pointer is stale. What an extent that is missing or truncated held is lost; what is left of it, and all others, is read. Where a record's header is damaged nothing says whose it was; see <see cref="PileSalvageReport.Dropped"/>.</remarks>
    public static PileSalvageReport Run(
        string source, string target, IProgress<PileRecoveryProgress>? reading = null, IProgress<PileCopyProgress>? copying = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(source);
        ArgumentException.ThrowIfNullOrWhiteSpace(target);
        string full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(target));
        StandInFiles files = Prepare(Path.TrimEndingDirectorySeparator(Path.GetFullPath(source)), full);
        var options = new PileOptions { OpenMode = PileOpenMode.ReadOnly, AcceptLoss = true, BackgroundCleaning = false, BuildsTable = true, Files = files };
        DurableHeap heap = DurableOpen.Run(source, options, reading, cancellationToken);
        try
        {
            // What lives is counted before anything is copied, beside this thread where that takes long.
            heap.Upkeep.Continue();
            var salvage = new Salvage(heap.Core, heap.Directory, files);
            salvage.NoteQuarantined();
            PileCopyReport copied = heap.CopyTo(full, copying, cancellationToken, salvage);
            return new PileSalvageReport(heap.Report with { Damages = [.. heap.Report.Damages.Select(damage => damage with { Path = files.RealPath(damage.Path) })] }, copied, salvage.Dropped);
        }
        finally
        {
            heap.Core.Dispose();
        }
    }

    /// <summary>Looks which files need a stand-in, which has its bytes beside the target: in the nearest directory above it that is there.</summary>
    private static StandInFiles Prepare(string source, string target)
    {
        FileProvider files = FileProvider.Default;
        try
        {
            string beside = Path.GetDirectoryName(target) ?? target;
            while (!files.Exists(beside) && Path.GetDirectoryName(beside) is { } above)
            {
                beside = above;
            }

            return StandInFiles.Prepare(files, RegionProvider.Default, source, Path.Combine(beside, $".{Path.GetFileName(target)}.salvage"));
        }
        catch (FileCallException)
        {
            // There is no pile, or no way to its files: the open meets the same, and says what it is.
            return StandInFiles.Without(files);
        }
    }
}
