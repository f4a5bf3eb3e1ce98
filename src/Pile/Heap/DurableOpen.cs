// Opens or creates a directory as a heap: decides whether the table can be believed (R1), rolls forward or crawls, cuts what was
// left open (R6, R7), and says so in meta before anything can be written. It appends nothing to old segments.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>One open.</summary>
internal sealed class DurableOpen : IDisposable
{
    private readonly PileOptions _options;
    private readonly IProgress<PileRecoveryProgress>? _progress;
    private readonly CancellationToken _cancellationToken;
    private readonly RegionProvider _memory;
    private readonly PileDirectory _directory;
    private readonly FileRegions _regions;
    private PilePromise _promise;
    private readonly FirstFew<PileDamageReport> _damages = new(FileLimits.DamagesListedMax);
    private readonly long _started;
    private MetaSlot _found = null!;
    private HeapCore<DurableRecord> _core = null!;
    private OpeningTable? _opening;
    private TableSums? _sums;
    private List<StoredSegment> _segments = [];
    private int[] _ends = [];
    private TableTrust _trust;
    private GenerationFloors? _floors;
    private long _records;
    private long _bytes;
    private long _runBytes;
    private long _provenFlush = -1;
    private TimeSpan _crawled;
    private int _cuts;
    private uint _loss;
    private bool _hasRuns;
    private bool _isCutAtRun;
    private long _fromCheckpoint = -1;
    private bool _isOpen;
    private DurableHeap? _inUse;
    private AllCores? _cores;
    private TableBuilder? _builder;

    private DurableOpen(string path, PileOptions options, IProgress<PileRecoveryProgress>? progress, CancellationToken cancellationToken)
    {
        _options = options;
        _progress = progress;
        _started = options.TimeProvider.GetTimestamp();
        _cancellationToken = cancellationToken;
        _memory = options.Regions ?? RegionProvider.Default;
        _directory = PileDirectory.Open(
            options.Files ?? FileProvider.Default, _memory, path, options.OpenMode, DurableOptions.NewMeta(options), options.Origin is null ? StoreNames.Meta : StoreNames.MetaInCreation);
        _regions = new FileRegions(_memory, _directory);
    }

    /// <summary>Opens a directory.</summary>
    internal static DurableHeap Run(string path, PileOptions options, IProgress<PileRecoveryProgress>? progress, CancellationToken cancellationToken)
    {
        options.ValidateForFiles();
        try
        {
            using var open = new DurableOpen(path, options, progress, cancellationToken);
            return open.Run();
        }
        catch (FileCallException failure)
        {
            throw DirectoryErrors.For(failure, isOfPile: true);
        }
        catch (PileFullException full) when (full.Path is null)
        {
            throw new PileFullException($"'{path}': {full.Message}", path: path, cause: full);
        }
    }

    /// <summary>Takes apart what a failed open has put together; what was opened is the heap's from then on.</summary>
    public void Dispose()
    {
        _cores?.Dispose();
        if (!_isOpen && _inUse is not null)
        {
            FailedOpen.Close(_inUse);
        }
        else if (!_isOpen)
        {
            // The files before the address space that they are mapped into: once that is given back, others may have it.
            _opening?.Abandon();
            _directory.Dispose();
            _core?.Abandon();
        }
    }

    private DurableHeap Run()
    {
        _found = _directory.Meta;
        _promise = DurableOptions.PromiseOf(_directory, _options);
        var clock = new FlushClock(_promise == PilePromise.PowerSafe);
        clock.ContinueAt(_found.FlushBound);
        _regions.PrefersHugePages = _promise == PilePromise.ProcessSafe;
        _core = new HeapCore<DurableRecord>(DurableOptions.HeapOptions(_directory, _options, _regions), _found.Tag, new LogContext(_found.Identity, clock));
        _regions.FilledFor = _promise == PilePromise.PowerSafe ? clock : null;

        // Not before the options have been looked at: the note is written.
        TableTrust.NoteLostExtents(_directory);
        ExtentFiles.MapRows(_directory, _memory);
        _found = _directory.Meta;
        _core.OpenedSequence = long.Max(0, _found.SegmentSequenceBound - 1);
        _segments = SegmentStates.Restore(_directory, _core.Extents, _core.Directory, _core.Large, _damages);
        _ends = new int[_segments.Count];
        _trust = RowsByTable.Decide(_directory, _core, _regions, _segments, _damages, _options.BuildsTable);
        _found = _found with { SyncFailedAboveFlush = _directory.Meta.SyncFailedAboveFlush };
        _opening = new OpeningTable(_directory, _regions, _memory, _core);
        if (_trust.IsTrusted)
        {
            _opening.Map(_trust.Table, _found.TableFile);
            _sums = _trust.Sums is { } sums ? new TableSums(_core.Table.Entries, sums) : null;
        }
        else
        {
            // Started now, so that they are there when the crawl begins.
            _cores = new AllCores(_segments.Count);
        }

        DurableOptions.RefuseLoss(_directory, _options, _promise, IsSameBoot);
        var internals = new InternalRecords(_core);
        if (_trust.IsTrusted)
        {
            RollForwardAll(internals);
        }
        else
        {
            long begun = _options.TimeProvider.GetTimestamp();
            CrawlAll(internals);
            _crawled = _options.TimeProvider.GetElapsedTime(begun);
        }

        Fault.Stop(StopPoint.RecoveryBuilt);
        var heap = new DurableHeap(_core, _directory, _regions, Table, _promise, _options);
        _core.Ending = heap.End;
        _core.Unmapping = heap.Close;
        _core.Touch = new FirstTouch(_core, _options.VerifyOnRead, _sums, isVerified: IsVerified);
        Settle(heap);
        internals.Restore(heap, _sums, Table?.File.Path ?? _directory.FullPath, _damages);
        _regions.Guard = heap.TryFiles;
        if (!_directory.IsReadOnly)
        {
            internals.List(Table!);
        }

        Begin(heap);
        if (!_directory.IsReadOnly)
        {
            heap.Roots.EndShadowed();
        }

        heap.Report = ReportOf();
        _isOpen = true;
        return heap;
    }

    private bool IsSameBoot => TableTrust.IsSameBoot(_found, _directory);

    private TableFile? Table => _opening?.File;

    /// <summary>Takes the last record, or the last batch, of each segment that was open: it may not have reached the table (R3).</summary>
    private void RollForwardAll(InternalRecords internals)
    {
        _opening!.Restore();
        internals.Take(Table!);
        var rollForward = new RollForward(_core.Directory.Space, Builder, _found.Identity);
        for (int index = 0; index < _segments.Count; index++)
        {
            // None was open at a close, whatever a damaged row says; and a table for reading alone can't be changed.
            _ends[index] = _found.IsClean ? _segments[index].EndBytes : rollForward.Take(_segments[index]);
        }

        NoteDamages(rollForward.Damages, static _ => "objects whose record stood there can't be read");
        FarSlots.Report(Builder, _directory, _core.Directory, _damages);
        (_records, _bytes, _core.OpenEnds) = (rollForward.Records, rollForward.Bytes, rollForward.Ends);
        for (int index = 0; index < rollForward.Slots.Count; index++)
        {
            internals.Add(Table!, rollForward.Slots[index]);
        }
    }

    private TableBuilder Builder => _builder ??= new(_core.Extents, _core.Directory, _core.Table, _core.Slots, _found.Identity, FarSlots.EndOf(_directory.Extents));

    private void CrawlAll(InternalRecords internals)
    {
        long total = 0;
        foreach (StoredSegment stored in _segments)
        {
            total += stored.State == SegmentRowState.Absent ? 0 : stored.EndBytes;
        }

        _opening!.Begin(total);
        _floors = _directory.Floors.Read(_directory.IsReadOnly);
        FarSlots.Refuse(_floors, _directory);
        _opening.Restore(_floors?.HighWater ?? 0);
        bool isWhole = _found.IsClean || IsSameBoot;
        using Checkpoint? checkpoint = isWhole ? null : OpenCheckpoint();
        var crawl = new Crawl(_core.Directory.Space, _core.Extents, Builder, _found.Identity, _segments, checkpoint, isWhole, isPowerSafe: _promise == PilePromise.PowerSafe);
        crawl.Run(_cores!, bytes => _progress?.Report(new PileRecoveryProgress(bytes, total)), _cancellationToken);
        for (int index = 0; index < _segments.Count; index++)
        {
            _ends[index] = crawl.EndOf(index);
        }

        NoteCheckpoint(crawl.CheckpointProblem);
        _fromCheckpoint = crawl.IsFromCheckpoint ? checkpoint!.Flush : -1;
        NoteDamages(crawl.Damages, static damage => damage.WhatIsLost);
        FarSlots.Report(Builder, _directory, _core.Directory, _damages);
        _loss = CrawlDamage.DigestOf(_damages, crawl.Damages, _core.Directory);
        (_records, _bytes, _runBytes, _provenFlush, _hasRuns, _isCutAtRun) =
            (crawl.Records, crawl.Bytes, crawl.RunBytes, crawl.ProvenFlush, crawl.HasRuns, crawl.IsCutAtRun || (!isWhole && _segments.Exists(static stored => stored.IsCut)));
        if (_damages.Count > 0 && !_options.AcceptLoss)
        {
            throw new PileCorruptedException(
                $"'{_directory.FullPath}' is damaged in {_damages.Count} place(s), first: {_damages.Kept[0].What} ('{_damages.Kept[0].Path}'). PileSalvage.Run brings what is whole into a new directory; AcceptLoss = true opens it as it is. Nothing was changed.",
                path: _damages.Kept[0].Path);
        }

        internals.Scan(_cores);
        _opening.End(_cores!);
        Table?.ListInternals(internals.Slots);
    }

    private void NoteDamages(FirstFew<CrawlDamage> damages, Func<CrawlDamage, string> whatIsLost) =>
        CrawlDamage.Report(damages, whatIsLost, _directory, _core.Directory, _damages);

    private Checkpoint? OpenCheckpoint()
    {
        if (_found.SyncFailedAboveFlush >= 0)
        {
            return null;
        }

        _directory.Checkpoints.Open(out Checkpoint? checkpoint, out string? problem);
        NoteCheckpoint(problem);
        return checkpoint;
    }

    private void NoteCheckpoint(string? problem) =>
        _trust = problem is null ? _trust : _trust with { Reason = $"{_trust.Reason}; its checkpoint was not used: {problem}" };

    /// <summary>Takes the segments back into the pool, and makes durable, before anything is written (R7), the new boot and the count of
    /// recoveries, in one write, so that a kill in between is no other recovery. What else the recovery stored becomes durable with the
    /// first flush; until then a cut has it found again, from inputs that give the same (decision 27). Not so after a failed sync, whose
    /// pages only a sync can prove; where damage was accepted, so that nobody is asked twice; and where a large object's pages are
    /// missing (see <see cref="Crawl.IsCutAtRun"/>), or were for an open that may have ended before its sync: it left the cut in the
    /// segment's header. A sync that fails here is noted like one of a flush.</summary>
    private void Settle(DurableHeap heap)
    {
        bool countsAsLoss = _trust.Opening == PileOpening.Crawled && !_found.IsClean && !IsSameBoot;
        bool isDamaged = _trust.Opening == PileOpening.Crawled && _damages.Count > 0;
        uint recoveries = RecoveryGenerations.CountOf(_core, _found.RecoveryCount, isCrawled: _trust.Opening == PileOpening.Crawled, isReusedAtOnce: countsAsLoss && _promise == PilePromise.ProcessSafe, isLoss: isDamaged && _loss != _found.KnownLoss);
        _core.FirstGeneration = EntryWord.NextGeneration(EntryWord.Free(recoveries));
        var cuts = new RecoveryCuts(_core, _found, _regions, _directory.FullPath, isStored: !_directory.IsReadOnly);
        bool isMoved = Table is not null && !_directory.WasCreated && _directory.FingerprintOf(Table.File) != _found.FilesFingerprint;
        if (isMoved && !_directory.IsReadOnly && !Table!.TryTakeSpace())
        {
            throw new PileFullException($"'{Table.File.Path}': the device has no room for all of it; it may be a sparse copy. Free space on it, then open the pile again.", path: Table.File.Path);
        }

        _cuts = cuts.CutSegments(_segments, _ends, mustTakeSpace: countsAsLoss || isMoved);
        Fault.Stop(StopPoint.RecoveryCut);
        if (!_core.Pool.TryRestore(_core.OpenedSequence, _core.OpenedSequence))
        {
            throw new PileFullException($"'{_directory.FullPath}' takes {_core.Pool.ResidentBytes + _core.Slots.TakenBytes:N0} bytes on the device, more than DiskLimitBytes = {_options.DiskLimitBytes:N0} allows. Nothing was lost: raise it.", path: _directory.FullPath);
        }

        DurableOptions.LimitByDevice(_directory, _options, _core.Budget, _core.Pool.ResidentBytes);
        bool isBuilt = _trust.Opening is PileOpening.Crawled or PileOpening.Created;
        if (isBuilt)
        {
            // For reading alone too: an export goes by it.
            RecoveryGenerations.Raise(_core, recoveries, _floors, _cores!);
        }

        if (_directory.IsReadOnly)
        {
            _core.RefuseWrites(PileStatus.ReadOnly);
            return;
        }

        if (isBuilt)
        {
            if (_found.SyncFailedAboveFlush >= 0 && !Fault.NotWrittenAgain)
            {
                new WrittenAgain(_core, _directory.Extents).Run(_segments, _cancellationToken);
            }

            if (_found.SyncFailedAboveFlush >= 0 || _isCutAtRun || _damages.Count > 0 || cuts.HasIgnored)
            {
                SyncFound(heap);
            }

            cuts.FreeIgnored();
        }

        ulong fingerprint = _directory.FingerprintOf(Table!.File);
        _directory.WriteMeta(meta => meta with
        {
            IsClean = false,
            TableTrusted = true,
            BootId = TableTrust.BootOf(_directory),
            FilesFingerprint = fingerprint,
            TableFile = Table.Number,
            RecoveryCount = recoveries,
            // Not closed, and without a table: the count has met damage, and old records may be there again beside those that took their place.
            UncutRecoveries = countsAsLoss || isDamaged || (!_found.IsClean && !_found.TableTrusted) ? 0 : recoveries - uint.Min(recoveries, meta.SoundSince),
            KnownLoss = isBuilt ? _loss : meta.KnownLoss,
            CheckpointFile = _trust.Opening == PileOpening.Crawled && (_fromCheckpoint < 0 || Builder.IsBesideCheckpoint) ? 0 : meta.CheckpointFile,
            SyncFailedAboveFlush = -1,
            LossAcceptedCount = meta.LossAcceptedCount + (_options.AcceptLoss && _damages.Count > 0 ? 1u : 0),
        });
        _inUse = heap;
        Fault.Stop(StopPoint.RecoverySettled);
        uint number = Table.Number;
        heap.Upkeep.Recounting.Leftovers = () => _directory.DeleteOtherTables(number);
        _directory.Sums.DeleteOthers(Table.Number);
        _ = _directory.Checkpoints.TryDeleteOthers();
    }

    /// <summary>Makes durable what was found and where it was cut; the table needs no sync, for after a power cut nobody believes it.</summary>
    private void SyncFound(DurableHeap heap)
    {
        try
        {
            heap.SyncExtents();
        }
        catch (FileCallException failure) when (failure.IsSync)
        {
            heap.Failed.NoteFailedSync(_found.FlushBound);
            throw;
        }
    }

    /// <summary>Whether everything that is there has just been looked at, byte by byte.</summary>
    private bool IsVerified => _trust.Opening is PileOpening.Crawled or PileOpening.Created && _damages.Count == 0 && !_hasRuns && _fromCheckpoint < 0;

    private void Begin(DurableHeap heap)
    {
        if (_directory.IsReadOnly)
        {
            heap.StartUpkeep(freedMustWait: false, isBuilt: !_trust.IsTrusted, _cancellationToken);
            return;
        }

        _core.NoteInternal = Table!.AddInternal;
        _core.InternalKept = _promise == PilePromise.PowerSafe ? heap.Flusher.Commit : static () => { };
        var clear = new DurableClear(_core, heap);
        _core.Clearing = (clear.Begin, clear.End, clear.Fail);
        _core.FlushNow = heap.Flusher.Commit;
        _regions.Watch = new SpaceWatch(_directory, DurableOptions.ReserveOf(_directory, _options), _core.Tag);

        // After a cut no index of a cache is believed: nothing waits for an owner.
        _core.AwaitsOwner = _directory.Meta.SoundSince <= _found.RecoveryCount && _directory.HasIndexes();
        heap.StartUpkeep(freedMustWait: !_found.IsClean, isBuilt: !_trust.IsTrusted, _cancellationToken);
        if (Fault.AppendedToOld && _core.Pool.Old is not null)
        {
            EpochLine line = EpochLine.Current;
            long held = line.Enter(_core.Epochs.WriteWord);
            SegmentWriter<DurableRecord> writer = _core.Writers.Hold(line);
            _ = writer.EnsureSpace(DurableRecord.HeaderBytes, overRatio: true);
            writer.Release();
            line.Leave(held);
        }

        heap.Flusher.Start();
        heap.Failed.Begin(heap.Flusher.Fail);
    }

    private PileRecoveryReport ReportOf() => new()
    {
        Opening = _trust.Opening,
        Reason = _trust.Reason,
        Duration = _options.TimeProvider.GetElapsedTime(_started),
        CrawlDuration = _crawled,
        Files = _directory.Extents.Count,
        Segments = _segments.FindAll(static stored => stored.State != SegmentRowState.Absent).Count,
        SegmentsCut = _cuts,
        Records = _records,
        Bytes = _bytes,
        ProvenFlush = _provenFlush,
        CheckpointFlush = _fromCheckpoint,
        Recoveries = _directory.Meta.RecoveryCount,
        MayBeOlder = _promise == PilePromise.ProcessSafe && !_found.IsClean && !IsSameBoot,
        RunBytes = _runBytes,
        Damages = _damages.Kept,
        DamagesBeyond = _damages.Count - _damages.Kept.Count,
    };
}
