// Copies a running pile to another directory, as it was at one moment: every writer and the cleaner are held while lengths and
// sequences are noted, which takes microseconds; then the bytes below are copied beside the users. The copying thread stays in the
// epoch of that moment, so that no segment and no run of pages of then is used again before it is copied.
using System;
using System.Buffers.Binary;
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

/// <summary>One copy of a pile in files. The copy has no table: its first open builds it.</summary>
/// <param name="core">The heap.</param>
/// <param name="heap">Its files.</param>
/// <param name="files">Where the copy goes.</param>
/// <param name="salvage">Drops what is damaged; null to copy all as it is.</param>
internal sealed class PileCopier(HeapCore<DurableRecord> core, DurableHeap heap, FileProvider files, Salvage? salvage = null)
{
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly Dictionary<long, int> _runs = [];
    private readonly Dictionary<long, ulong[]> _pagesOfRow = [];
    private Stretch[] _stretches = [];
    private MetaSlot _meta = null!;
    private GenerationFloors? _floors;
    private byte[]? _tables;
    private IReadOnlyList<ExtentFile> _extents = [];
    private long _bytes;
    private bool _hasRuns;

    /// <summary>Copies.</summary>
    /// <param name="path">A directory that is missing or empty.</param>
    /// <param name="progress">Gets the progress, or null.</param>
    /// <param name="cancellationToken">Ends the copy and removes what was written.</param>
    internal PileCopyReport Run(string path, IProgress<PileCopyProgress>? progress, CancellationToken cancellationToken)
    {
        heap.Failed.RefuseLost(heap.Flusher.Fail);
        RefuseDamage();
        using DirectoryCopy target = DirectoryCopy.Begin(files, path);
        EpochLine line = EpochLine.Current;
        long held = Note(line);
        try
        {
            Copy(target, progress, cancellationToken);
            if (salvage is { Dropped.Count: > 0 })
            {
                _meta = _meta with { LossAcceptedCount = _meta.LossAcceptedCount + 1 };
            }

            heap.Failed.RefuseLost(heap.Flusher.Fail);
            target.Complete(_meta, _floors, _tables);
        }
        finally
        {
            line.Leave(held);
        }

        return new PileCopyReport(_bytes, _stretches.Length, _runs.Count);
    }

    private void RefuseDamage()
    {
        long damages = salvage is null ? heap.Upkeep.Recounting.TableDamages : 0;
        if (damages > 0)
        {
            throw new PileCorruptedException(
                $"'{heap.Directory.FullPath}': {damages:N0} entries of the table are damaged, and a copy could lack their objects. Nothing was copied: close the pile and {heap.WayToBuild}, then copy it.",
                path: heap.Directory.FullPath);
        }
    }

    /// <summary>Notes the moment, and enters its epoch.</summary>
    private long Note(EpochLine line)
    {
        core.Writers.HoldAll();
        try
        {
            // The wait for it may be interrupted.
            core.Cleaner.EnterRole();
            try
            {
                return NoteInside(line);
            }
            finally
            {
                core.Cleaner.ExitRole();
            }
        }
        finally
        {
            core.Writers.ReleaseAll();
        }
    }

    private long NoteInside(EpochLine line)
    {
        long held = line.Enter(core.Epochs.IdWord);
        try
        {
            NoteLocked();
            return held;
        }
        catch
        {
            line.Leave(held);
            throw;
        }
    }

    private void NoteLocked()
    {
        Dictionary<long, int> open = [];
        foreach (OpenSegment segment in heap.ListOpen([]))
        {
            _ = open.TryAdd(segment.Sequence, segment.WrittenBytes);
        }

        MetaSlot meta = heap.Directory.Meta;
        List<Stretch> stretches = [];
        for (int index = 0; index < core.Directory.Count; index++)
        {
            Segment segment = core.Directory[index];
            bool isOpen = segment.State == SegmentState.Open;
            int written = isOpen ? open.GetValueOrDefault(segment.Sequence) : segment.WrittenBytes;
            if ((isOpen || segment.State is SegmentState.Sealed or SegmentState.Quarantined) && written > SegmentHeader.Bytes && segment.Sequence >= meta.FirstCountingSequence)
            {
                stretches.Add(new Stretch(segment, segment.Sequence, written, segment.State == SegmentState.Quarantined && salvage is null));
            }
        }

        // Retired ones too: a batch may have put aside the descriptor that the copy will count.
        _hasRuns = salvage is not null || core.Large.UsedBytes > 0;
        _stretches = [.. stretches];
        _extents = heap.Directory.Extents;
        _floors = heap.Directory.Floors.Read(heap.Directory.IsReadOnly);

        // With the writers held: a clear or drop of a durable table changes the list while it holds one, and a table is in the list before it has an entry.
        _tables = TablesOfCache();
        _meta = meta with
        {
            IsClean = true,
            TableTrusted = false,
            BootId = Guid.Empty,
            FilesFingerprint = 0,
            TableFile = 0,
            CheckpointFile = 0,

            RecoveryCount = Recoveries(),
            UncutRecoveries = 0,
            SyncFailedAboveFlush = -1,
            SegmentSequenceBound = long.Max(meta.SegmentSequenceBound, core.Pool.Sequences.Last + 1),
        };
    }

    /// <summary>Recoveries that the copy has. Those of this open: one for reading alone has not written its own, and who goes on from the copy must not issue again what the cut took.
    /// What open batches have handed out, which entries alone know, is made up for by the copy's first open, a crawl.</summary>
    private uint Recoveries()
    {
        uint recoveries = EntryWord.Generation(core.FirstGeneration) - 1;
        return salvage is not null ? RecoveryGenerations.BeyondLost(core, recoveries) : recoveries;
    }

    /// <summary>The list of a cache's durable tables, whose entries are copied like any object; null where there is none.</summary>
    private byte[]? TablesOfCache()
    {
        string path = Path.Combine(heap.Directory.FullPath, StoreNames.CacheTables);
        if (!heap.Directory.Files.Exists(path))
        {
            return null;
        }

        using StoreFile file = heap.Directory.Files.Open(path, FileOpening.ReadOnly);
        if (file.Bytes > Array.MaxLength)
        {
            throw new PileCorruptedException($"'{path}' has {file.Bytes} bytes, which no list of tables has. Restore the file, or remove it: then the entries of durable tables are nobody's.", path: path);
        }

        byte[] bytes = new byte[(int)file.Bytes];
        file.Read(0, bytes);
        return bytes;
    }

    private void Copy(DirectoryCopy target, IProgress<PileCopyProgress>? progress, CancellationToken cancellationToken)
    {
        long total = 0;
        foreach (Stretch stretch in _stretches)
        {
            total += stretch.Bytes;
        }

        List<StoreFile> written = [];
        try
        {
            foreach (ExtentFile extent in _extents)
            {
                written.Add(target.CreateExtent(extent.Header, RowsOf(extent)));
            }

            using var behind = new SyncBehind();
            int next = 0;
            foreach (Stretch stretch in _stretches)
            {
                // Stretches come in the order of their places: those of the files before are all written.
                StoreFile file = Place(written, stretch.Segment.Location).File;
                for (; written[next] != file; next++)
                {
                    Finish(behind, written, next);
                }

                CopyStretch(written, stretch, () => progress?.Report(new PileCopyProgress(_bytes, long.Max(_bytes, total + core.Large.UsedBytes))), cancellationToken);
            }

            for (; next < written.Count; next++)
            {
                Finish(behind, written, next);
            }

            for (int index = 0; index < written.Count; index++)
            {
                if (HoldsRuns(index))
                {
                    behind.Add(written[index]);
                }
            }

            behind.Complete();
        }
        finally
        {
            written.ForEach(static file => file.Dispose());
        }
    }

    /// <summary>Has a file made durable in which nothing more is written. Runs of large objects come in any order: their files are the last.</summary>
    private void Finish(SyncBehind behind, List<StoreFile> written, int index)
    {
        if (!HoldsRuns(index))
        {
            behind.Add(written[index]);
        }
    }

    private bool HoldsRuns(int index) => _extents[index].Header.Kind == ExtentKind.Large;

    private byte[] RowsOf(ExtentFile extent)
    {
        byte[] rows = new byte[extent.Header.Segments * Limits.WordBytes];
        foreach (Stretch stretch in _stretches)
        {
            long offset = (stretch.Segment.Location - extent.FirstLocation) * Limits.WordBytes;
            if (offset >= 0 && offset < (long)extent.Header.Rows * Limits.ExtentBytes)
            {
                SegmentRowState state = stretch.IsQuarantined ? SegmentRowState.Quarantined : stretch.IsCut || salvage is not null ? SegmentRowState.Cut : SegmentRowState.Sealed;
                ulong row = SegmentRow.Pack(stretch.Sequence, state, core.Log.Identity, stretch.Segment.Location);
                BinaryPrimitives.WriteUInt64LittleEndian(rows.AsSpan((int)(offset / extent.Header.SegmentBytes) * Limits.WordBytes), row);
            }
        }

        return rows;
    }

    private void CopyStretch(List<StoreFile> written, in Stretch stretch, Action copied, CancellationToken cancellationToken)
    {
        List<LargeDescriptor> runs = [];
        stretch.Segment.ReadAhead(0, stretch.Bytes);
        ReadOnlyMemory<byte>? salvaged = salvage?.Take(stretch.Segment, stretch.Bytes, runs);
        int end = salvaged?.Length ?? stretch.Bytes;
        byte[] header = new byte[SegmentHeader.Bytes];
        SegmentHeader.Write(header, stretch.Sequence, core.Log.Identity, stretch.Segment.Location, stretch.IsCut || salvaged is not null ? end : 0);
        (StoreFile file, long offset) = Place(written, stretch.Segment.Location);
        file.Write(offset, header);
        _bytes += header.Length;
        for (int at = header.Length; at < end;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int piece = int.Min((int)FileLimits.ScrubStepBytes, end - at);
            file.Write(offset + at, salvaged is { } taken ? taken.Span.Slice(at, piece) : _space.Bytes(stretch.Segment.Location, at, piece));
            at += piece;
            _bytes += piece;
            copied();
        }

        if (salvaged is null && _hasRuns)
        {
            ListRuns(stretch, runs);
        }

        long told = _bytes;
        foreach (LargeDescriptor run in runs)
        {
            cancellationToken.ThrowIfCancellationRequested();
            CopyRun(written, run);
            if (_bytes - told >= FileLimits.ScrubStepBytes)
            {
                told = _bytes;
                copied();
            }
        }
    }

    private void ListRuns(in Stretch stretch, List<LargeDescriptor> runs)
    {
        var walk = new SegmentWalk<DurableRecord>(_space, stretch.Segment, stretch.Bytes, core.Log.Identity);
        while (walk.TryNext(out long location, out _, out _) || walk.IsBad)
        {
            if (walk.IsBad)
            {
                // The copy is as damaged as the original, and no more: what stands behind it is copied with its pages.
                DamagedStretch.Skip(_space, ref walk, stretch.Bytes);
            }
            else if (LogRecord.Read(_space, location).TryReadRun(_space, out LargeDescriptor run))
            {
                runs.Add(run);
            }
        }
    }

    /// <summary>Copies a large object's pages. Those of one that was replaced before may hold another by now: nothing refers to them.</summary>
    private void CopyRun(List<StoreFile> written, in LargeDescriptor run)
    {
        bool isThere = run.PayloadBytes is > 0 and <= Limits.PayloadBytesMax && core.Extents.ContainsRun(run.RunLocation, run.PayloadBytes);
        if (isThere && run.RunLocation >> Limits.ExtentShiftWords < _meta.ExtentRows && run.PayloadBytes > _runs.GetValueOrDefault(run.RunLocation))
        {
            // The record of a shorter one that stood there before may come first.
            _runs[run.RunLocation] = run.PayloadBytes;
            (StoreFile file, long offset) = Place(written, run.RunLocation);
            for (int at = 0, end; at < run.PayloadBytes; at = end)
            {
                bool isTaken = TryTakePage(run, at);
                end = int.Min(at + Limits.OsPageBytes, run.PayloadBytes);
                while (isTaken && end < run.PayloadBytes && TryTakePage(run, end))
                {
                    end = int.Min(end + Limits.OsPageBytes, run.PayloadBytes);
                }

                if (isTaken)
                {
                    file.Write(offset + at, _space.Bytes(run.RunLocation, at, end - at));
                    _bytes += end - at;
                }
            }
        }
    }

    /// <summary>Takes a page of a run to copy it, unless it was copied as a whole before. Where many runs share pages, because they stood there one after the
    /// other or were made to, none is copied for each of them.</summary>
    private bool TryTakePage(in LargeDescriptor run, int offset)
    {
        const int PagesOfRow = Limits.ExtentBytes / Limits.OsPageBytes;
        (long row, long page) = long.DivRem((run.RunLocation / (Limits.OsPageBytes / Limits.WordBytes)) + (offset / Limits.OsPageBytes), PagesOfRow);
        if (!_pagesOfRow.TryGetValue(row, out ulong[]? copied))
        {
            _pagesOfRow.Add(row, copied = new ulong[PagesOfRow / 64]);
        }

        ulong before = copied[page / 64];
        copied[page / 64] |= offset + Limits.OsPageBytes <= run.PayloadBytes ? 1UL << (int)(page % 64) : 0;
        return (before & (1UL << (int)(page % 64))) == 0;
    }

    /// <summary>Where a location stands in the files of the copy.</summary>
    private (StoreFile File, long Offset) Place(List<StoreFile> written, long location)
    {
        int row = (int)(location >> Limits.ExtentShiftWords);
        int index = 0;
        while (row >= _extents[index].Header.FirstRow + _extents[index].Header.Rows)
        {
            index++;
        }

        return (written[index], ExtentHeader.ExtentPrefixBytes + ((location - _extents[index].FirstLocation) * Limits.WordBytes));
    }

    /// <summary>A segment as it was at the moment.</summary>
    /// <param name="Segment">It.</param>
    /// <param name="Sequence">Its sequence then.</param>
    /// <param name="Bytes">How far it was written.</param>
    /// <param name="IsQuarantined">Whether it was out of use.</param>
    private readonly record struct Stretch(Segment Segment, long Sequence, int Bytes, bool IsQuarantined)
    {
        /// <summary>Whether it ended before its end.</summary>
        internal bool IsCut => Bytes < Segment.Bytes;
    }
}
