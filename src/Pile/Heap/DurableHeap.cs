// A heap in files: opening, flushing, poisoning and closing it. Opening is DurableOpen's work; this class holds what lasts as
// long as the pile does. Its one rule: nothing is unmapped before the flusher has ended and the files are closed.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>The files of one pile. Thread-safe.</summary>
internal sealed class DurableHeap : ILogFiles
{
    private readonly FileRegions _regions;
    private readonly TableFile? _table;
    private readonly List<Segment> _open = [];
    private readonly ExtentSyncs _syncs = new();
    private OpenSegment[] _lastLengths = [];
    private long _flushBound;
    private long _appendedAtFlush;
    private bool _isProofDue;

    internal DurableHeap(HeapCore<DurableRecord> core, PileDirectory directory, FileRegions regions, TableFile? table, PilePromise promise, PileOptions options)
    {
        Core = core;
        Directory = directory;
        Promise = promise;
        _regions = regions;
        _table = table;
        _flushBound = directory.Meta.FlushBound;

        // A close has made all that it left durable: the first flush proves that, as each later one what the flush before it covered.
        _lastLengths = directory.Meta.IsClean ? [new OpenSegment(core.OpenedSequence, 0)] : [];
        core.Pool.Sequences.Extend = ExtendSequences;
        core.Counted.Reset();
        core.OpenedSlots = core.Slots.HighWater;
        core.CountedSlots = Limits.FirstSlot;
        core.Files = this;
        Roots = new PileRoots(core, new HeapRoots(core));
        Batches = new HeapBatches(core, int.Min(directory.Meta.BatchBytesMax, DurableOptions.BatchBytesFor(directory.Meta.SegmentBytesMax)));
        core.SlotsHeldApart = () => Batches.SlotsHeld;
        Checkpoints = new Checkpointer(core, this);
        Upkeep = new Upkeep(core, this, options);
        Failed = new FailedFiles(core, directory, table, _syncs);
        Flusher = new Flusher(core.Log.Flushes, this, promise == PilePromise.PowerSafe ? options.FlushInterval : Timeout.InfiniteTimeSpan);
        core.Pool.Opened.NotesSealed = promise == PilePromise.PowerSafe;
        core.Poisoning = () => Flusher.Failure is { } failure ? Poisoned(failure) : null;
    }

    internal HeapCore<DurableRecord> Core { get; }

    /// <summary>What is known of types.</summary>
    internal StoredTypes Types => field ??= new StoredTypes(this);

    /// <summary>What commits batches.</summary>
    internal HeapBatches Batches { get; }

    /// <summary>What is done beside the users.</summary>
    internal Upkeep Upkeep { get; }

    /// <summary>What takes checkpoints.</summary>
    internal Checkpointer Checkpoints { get; }

    /// <summary>The roots.</summary>
    internal PileRoots Roots { get; }

    internal PileDirectory Directory { get; }

    internal PilePromise Promise { get; }

    internal Flusher Flusher { get; }

    /// <summary>What is done once a call of the files has failed.</summary>
    internal FailedFiles Failed { get; }

    /// <summary>What growth leaves free on the device.</summary>
    internal long ReserveBytes => _regions.Watch?.ReserveBytes ?? 0;

    /// <inheritdoc cref="FileRegions.WantOfFile"/>
    internal FileCallException? WantOfFile => _regions.WantOfFile;

    /// <summary>Whether files beside the extents may take so much more of the device.</summary>
    internal bool HasDiskRoom(long bytes) => _regions.Watch?.HasRoom(bytes) != false;

    /// <summary>Whether the pile can't grow, for the sake of what is left free.</summary>
    internal bool IsDiskLow => _regions.IsLow;

    /// <summary>What opening did.</summary>
    internal PileRecoveryReport Report { get; set; } = null!;

    /// <inheritdoc/>
    public bool HasUnflushed => Core.Writers.AppendedBytes != Volatile.Read(ref _appendedAtFlush) || Volatile.Read(ref _isProofDue);

    /// <summary>How long the oldest change has waited for a flush; null where there are flushes on demand alone, and once the pile was disposed.</summary>
    internal TimeSpan? UnflushedAge
    {
        get
        {
            if (Directory.IsReadOnly || Promise != PilePromise.PowerSafe || !Core.TryEnterCare())
            {
                return null;
            }

            TimeSpan age = Flusher.Age.Look();
            Core.ExitCare();
            return age;
        }
    }

    /// <inheritdoc/>
    public bool IsUnsure => Failed.IsUnsure;

    /// <inheritdoc/>
    public void Flush(long flush)
    {
        if (flush >= _flushBound)
        {
            Directory.WriteMeta(meta => meta with { FlushBound = flush + FileLimits.FlushesGranted });
            _flushBound = flush + FileLimits.FlushesGranted;
        }

        // A flush of anything but a marker is followed by one more, which carries its proof; then an idle pile has nothing to flush.
        bool isProofDue = Core.Writers.AppendedBytes != _appendedAtFlush;
        AppendMarker(Core.Log.Flushes.Completed);
        long appended = Core.Writers.AppendedBytes;
        Core.Writers.NoteFlush();
        Core.Slots.BeginFlush(); // Before the lengths are read: a tombstone in a segment that is opened behind them may not be in this flush's sync.
        _open.Clear();
        OpenSegment[] lengths = ListOpen(_open);
        foreach (Segment segment in _open)
        {
            _regions.MarkDirty(segment.Region);
        }

        Core.Pool.Opened.TakeSealed(_open);
        foreach (Segment segment in _open)
        {
            Detach(segment);
        }

        Fault.Stop(StopPoint.FlushListed);
        _syncs.Sync(_regions.TakeDirty());
        Failed.RequireTables();
        _regions.NoteSynced();
        Fault.Stop(StopPoint.FlushSynced);
        _lastLengths = lengths;
        Volatile.Write(ref _appendedAtFlush, appended);
        Volatile.Write(ref _isProofDue, isProofDue);
    }

    /// <inheritdoc/>
    public void Flushed()
    {
        Core.Slots.EndFlush();
        if (Core.Retired.Count > 0 || Core.Large.RetiredBytes > 0)
        {
            // What waited for this flush can be used again.
            Core.Keeper.Wake();
        }

        Upkeep.Flushed();
    }

    /// <inheritdoc/>
    public void Poison(long flush, Exception failure) => Failed.Poison(flush, failure);

    /// <inheritdoc/>
    public PilePoisonedException Poisoned(Exception failure) => Failed.Poisoned(failure);

    /// <summary>Counts what lives, beside the pile's users where that takes long, and begins what else there is to do beside them.</summary>
    /// <param name="freedMustWait">Whether free slots and pages wait for a flush: what freed them may not have been made durable by the process
    /// that ended.</param>
    /// <param name="isBuilt">Whether the table was built of the log: then it leads into no segment whose row says that it holds nothing.</param>
    /// <param name="cancellationToken">Ends a warm-up that the open waits for.</param>
    internal void StartUpkeep(bool freedMustWait, bool isBuilt, CancellationToken cancellationToken)
    {
        freedMustWait &= Core.Log.Flushes.IsWaitedFor;
        Core.Large.NeededFlush = freedMustWait ? Core.Log.Flushes.Next : 0;
        Core.Large.AwaitsCount = true;
        Core.Counting = new CountedChunks(Core.OpenedSlots);
        Core.CountFaster = Upkeep.Recounting.CountFaster;
        Core.RoomForWrites.CountNow = Upkeep.Recounting.CountNow;
        Core.Pool.Sequences.Uncounted = Core.OpenedSequence;
        LostRows? rows = Directory.IsReadOnly ? null : new(Core.Extents, Core.Directory, Core.Pool.Left, _regions, Core.Log.Identity, Directory.Meta.FirstCountingSequence, Core.OpenedSequence);
        if (rows is not null && !isBuilt)
        {
            Core.Pool.Left.Hold(rows.MayHold);
        }

        Upkeep.Begin(
            new Recount(
                Core.Table, Core.Slots, Core.Directory, Core.Large, Core.OpenedSequence, EntryWord.Generation(Core.FirstGeneration) - 1, freedMustWait, Core.Log.Flushes.IsWaitedFor, isStored: !Directory.IsReadOnly, Core.Touch!.HasGoodEntry, Core.Touch!.LoseRun, Core.OpenEnds, new LeftPointers(Core, this).MayFree, rows),
            cancellationToken);
    }

    /// <summary>Ends the background work. May be called again.</summary>
    internal void End()
    {
        Failed.Dispose();
        Upkeep.Stop();
        Flusher.Stop();
    }

    /// <summary>Ends the files: what lives is made durable and the pile is marked clean. The caller guarantees that nobody is inside.</summary>
    /// <returns>The failure that kept the pile from being closed in order, or null.</returns>
    internal Exception? Close()
    {
        // Whatever comes: else they stay open, and their directory locked. The last one goes first.
        using PileDirectory directory = Directory;
        using TableFile? table = _table;
        using Upkeep upkeep = Upkeep;
        Exception? failure = Flusher.Failure;
        try
        {
            if (failure is null && !Directory.IsReadOnly)
            {
                SealAll();
                if (!Core.IsCountedWhole && Core.OpenEnds is { } ends)
                {
                    ends.NoteAll(Core.Extents, Core.Directory, Core.Table, Core.OpenedSlots);
                    _ = ends.Lengthen(Core.Regions);
                }

                SyncAll();
                Core.Keyed?.Close();
                Fault.Stop(StopPoint.CloseSynced);
                bool isWhole = Upkeep.Recounting.TableDamages == 0 && Core.Touch!.AreAllPagesGood();

                // A device without room for the sums: all is durable, and the next open of this boot goes on as after a kill.
                bool hasSums = isWhole && Directory.Sums.TryWrite(TableSums.Of(Core.Table.Entries, _table!, Core.Log.Identity));
                Directory.WriteMeta(meta => meta with { IsClean = true, TableTrusted = isWhole && !hasSums, TableFile = isWhole ? meta.TableFile : 0, TypeNumberBound = Types.BoundAtClose() });
            }
        }
        catch (FileCallException exception)
        {
            failure = exception;
            Flusher.Fail(exception);
        }

        if (failure is not null)
        {
            Failed.NoteAgain();
            failure = new IOException(
                $"'{Directory.FullPath}' could not be closed in order: {failure.Message} It is closed all the same. {(failure is OutOfMemoryException ? "Give the process more memory" : "See to the device")}, then open the pile again: what completed flushes cover is there.", failure);
        }

        return failure;
    }

    /// <summary>Copies the pile to another directory.</summary>
    /// <param name="path">Where to.</param>
    /// <param name="progress">Gets the progress, or null.</param>
    /// <param name="cancellationToken">Ends the copy.</param>
    /// <param name="salvage">Drops what is damaged; null to copy all as it is.</param>
    internal PileCopyReport CopyTo(string path, IProgress<PileCopyProgress>? progress, CancellationToken cancellationToken, Salvage? salvage = null)
    {
        Core.WaitCounted(cancellationToken);
        if (!Core.TryEnterCare())
        {
            Throw.Disposed();
        }

        try
        {
            return new PileCopier(Core, this, Directory.Files, salvage).Run(path, progress, cancellationToken);
        }
        catch (FileCallException failure)
        {
            throw DirectoryErrors.For(failure, isOfPile: true);
        }
        finally
        {
            Core.ExitCare();
        }
    }

    /// <summary>What is to be done once the count has found entries damaged, which only an open for writing notes.</summary>
    internal string WayToBuild => Directory.IsReadOnly
        ? "open it for writing until all is counted, which notes that, then once more, which builds the table anew"
        : "open it again, which builds the table anew";

    /// <summary>Makes every file durable.</summary>
    internal void SyncAll()
    {
        SyncExtents();
        Failed.SyncTable();
    }

    /// <summary>Makes all durable but the table.</summary>
    internal void SyncExtents() => _syncs.Sync(Directory.Extents);

    /// <summary>Calls the files inside a write, where nothing may throw: a failure ends all writing, and the write finds no room.</summary>
    internal bool TryFiles(Action call)
    {
        try
        {
            call();
            return true;
        }
        catch (FileCallException failure)
        {
            Flusher.Fail(failure);
            return false;
        }
    }

    /// <summary>As <see cref="TryFiles"/>, where the caller may be told.</summary>
    internal void CallFiles(Action call)
    {
        if (!TryFiles(call))
        {
            throw Poisoned(Flusher.Failure!);
        }
    }

    /// <summary>Takes what was stored in a segment since the last flush out of the process's page tables, if it is much: the sync would do so page
    /// by page, and interrupt the other processors for each (decision 49).</summary>
    private void Detach(Segment segment)
    {
        int from = 0;
        foreach (OpenSegment last in _lastLengths)
        {
            from = last.Sequence == segment.Sequence ? last.WrittenBytes : from;
        }

        int written = Core.Writers.WrittenOf(segment);
        if (written - from >= FileLimits.DetachBytesMin)
        {
            _regions.Detach(segment.Region, segment.RegionOffset + from, written - from);
        }
    }

    private void SealAll()
    {
        for (int index = 0; index < Core.Writers.Count; index++)
        {
            Core.Writers[index]?.Seal();
        }

        Core.Writers.Survivors.Seal();
    }

    private long ExtendSequences(long last)
    {
        // A row holds no greater one: without any left there is no room.
        long bound = long.Min(last + FileLimits.SequencesGranted, SegmentRow.SequenceMax - 1);
        return bound > last && TryFiles(() => Directory.WriteMeta(meta => meta with { SegmentSequenceBound = bound + 1 })) ? bound : last;
    }

    /// <summary>The open segments with their lengths; last an item of the greatest sequence drawn, for "all others up to it are whole".</summary>
    /// <param name="open">Gets the segments; empty.</param>
    internal OpenSegment[] ListOpen(List<Segment> open)
    {
        long sequence = Core.Pool.Opened.ListOpen(open);
        var lengths = new OpenSegment[open.Count + 1];
        for (int index = 0; index < open.Count; index++)
        {
            lengths[index] = new OpenSegment(open[index].Sequence, Core.Writers.WrittenOf(open[index]));
        }

        lengths[^1] = new OpenSegment(sequence, 0);
        return lengths;
    }

    /// <summary>Appends the proof of the flush before, for the flush that begins to make durable. Without room the one before stands.</summary>
    private void AppendMarker(long provenFlush)
    {
        Span<byte> payload = stackalloc byte[FileLimits.MarkerBytesMax];
        int bytes = MarkerPayload.BytesOf(_lastLengths.Length);
        if (_lastLengths is not [.., { Sequence: > 0 }] || bytes > payload.Length || provenFlush < 1)
        {
            return;
        }

        MarkerPayload.Write(payload[..bytes], provenFlush, _lastLengths);
        EpochLine line = EpochLine.Current;
        long held = line.Enter(Core.Epochs.WriteWord);
        SegmentWriter<DurableRecord>? writer = null;
        try
        {
            writer = Core.IsDisposed ? null : Core.Writers.HoldAnyhow(line);
            int recordBytes = SegmentWriter<DurableRecord>.RecordBytes(bytes);
            if (writer is not null && writer.EnsureSpace(recordBytes, overRatio: true))
            {
                writer.CountDead(writer.Append(slot: 0, RecordCode.Marker, new BytesPayload(payload[..bytes]), default), recordBytes);
            }
        }
        finally
        {
            writer?.Release();
            line.Leave(held);
        }
    }
}
