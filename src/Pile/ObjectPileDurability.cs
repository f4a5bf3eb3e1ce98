// What a pile in files has beyond one in memory: commits, flush numbers, and what opening it did.
// On a pile in memory these throw: there is nothing that could be made durable.
using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Pile.Heap;
using Pile.Primitives;

namespace Pile;

/// <summary>Durability of a pile in files.</summary>
public static class ObjectPileDurability
{
    /// <summary>Returns when everything that was put, updated and deleted before the call, by any thread, survives a power cut.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    /// <exception cref="InvalidOperationException">The pile is in memory.</exception>
    /// <exception cref="PileException">The pile was opened for reading alone (<see cref="PileStatus.ReadOnly"/>).</exception>
    /// <exception cref="PilePoisonedException">A flush failed, now or before.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <exception cref="InsufficientMemoryException">There is no managed memory for a flush: nothing is acknowledged, nothing was lost, and the next flush covers it.</exception>
    /// <remarks>Callers that commit at the same time share a flush. Costs at least one sync of the device.</remarks>
    public static void Commit(this ObjectPile pile) => WritableFilesOf(pile, nameof(Commit)).Flusher.Commit();

    /// <summary>As <see cref="Commit"/>, without a thread that waits.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    /// <param name="cancellationToken">Ends the waiting; the flush goes on.</param>
    /// <exception cref="OutOfMemoryException">There is no managed memory for a flush, as for <see cref="Commit"/>.</exception>
    public static ValueTask CommitAsync(this ObjectPile pile, CancellationToken cancellationToken = default) =>
        new(WritableFilesOf(pile, nameof(CommitAsync)).Flusher.CommitAsync(cancellationToken));

    /// <summary>Begins a batch: puts, updates and deletes that survive together or not at all.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    /// <exception cref="InvalidOperationException">The pile is in memory.</exception>
    /// <remarks>Takes nothing of the pile yet: a disposed one is told of by the batch's first operation.</remarks>
    public static PileBatch BeginBatch(this ObjectPile pile) => new(pile, FilesOf(pile).Batches);

    /// <summary>The number of the last flush that began.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    public static long LastFlush(this ObjectPile pile) => FilesOf(pile).Core.Log.Flushes.Started;

    /// <summary>The number of the last flush that completed: what was done before it began is durable.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    public static long DurableThrough(this ObjectPile pile) => FilesOf(pile).Core.Log.Flushes.Completed;

    /// <summary>What opening the pile did.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    public static PileRecoveryReport RecoveryReport(this ObjectPile pile) => FilesOf(pile).Report;

    /// <summary>Whether all that follows an open is done: counts are exact, and what <see cref="PileOptions.WarmUp"/> asks for is read.
    /// A pile that is not warm can be used like one that is.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    public static bool IsWarm(this ObjectPile pile) => FilesOf(pile).Upkeep.IsWarm;

    /// <summary>Reads every object again and compares it with its checksums, beside the pile's users.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    /// <param name="cancellationToken">Ends it between two objects.</param>
    /// <returns>What was looked at, and what is corrupted.</returns>
    /// <exception cref="ObjectDisposedException">The pile was disposed, before or meanwhile.</exception>
    /// <remarks>It costs the reading of all bytes. <see cref="PileOptions.ScrubBytesPerSecond"/> does the same slowly, for ever.</remarks>
    public static PileScrubReport Scrub(this ObjectPile pile, CancellationToken cancellationToken = default) =>
        new Scrubber(FilesOf(pile).Core).Run(cancellationToken);

    /// <summary>Copies the pile to another directory, beside its users, as it is at the moment of the call: a backup that is a pile. What
    /// completed before is in it, nothing that begins after.</summary>
    /// <param name="pile">The pile, opened from a directory.</param>
    /// <param name="directory">A directory that is missing or empty.</param>
    /// <param name="progress">Gets the progress; null for none.</param>
    /// <param name="cancellationToken">Ends the copy. What was written is removed, as after a failure.</param>
    /// <returns>What was copied. It is durable.</returns>
    /// <exception cref="IOException">The directory holds something, or a call of the files failed.</exception>
    /// <exception cref="PileFullException">The device of the copy is full.</exception>
    /// <exception cref="PileCorruptedException">Entries of the table are damaged, and the copy could lack their objects: the next open for writing builds the table anew.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Pointers of the pile are pointers of its copy. While it copies, memory that is freed is not used again, as under a long
    /// lease (<see cref="PileStatistics.OldestStay"/>): a pile near its limit may answer Full. The first open of the copy builds its table.</remarks>
    public static PileCopyReport CopyTo(this ObjectPile pile, string directory, IProgress<PileCopyProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        return FilesOf(pile).CopyTo(Path.TrimEndingDirectorySeparator(Path.GetFullPath(directory)), progress, cancellationToken);
    }

    /// <summary>The promise of the pile.</summary>
    /// <param name="pile">The pile.</param>
    public static PilePromise Promise(this ObjectPile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        return pile.Durable?.Promise ?? PilePromise.Memory;
    }

    private static DurableHeap WritableFilesOf(ObjectPile pile, string operation)
    {
        DurableHeap files = FilesOf(pile);
        if (files.Directory.IsReadOnly)
        {
            Throw.Failed(PileStatus.ReadOnly, default, operation);
        }

        return files;
    }

    private static DurableHeap FilesOf(ObjectPile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        return pile.Durable ?? throw new InvalidOperationException("The pile is in memory: nothing of it outlives the process. ObjectPile.Open makes piles that do.");
    }
}
