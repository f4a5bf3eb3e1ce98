// The full crawl: walks every segment, checks every header and payload, and builds the table from the newest record of each
// slot (R4). It changes nothing in the segments; where each ends, and what is damaged, is its result (R6).
// First every segment up to its first bad record; then, where a proof says that more was written, on behind the damage.
// A large object's pages may be missing although its descriptor is there: what that means is known once all is walked.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>One crawl.</summary>
internal sealed class Crawl
{
    private readonly FlatSpace _space;
    private readonly TableBuilder _builder;
    private readonly ulong _identity;
    private readonly IReadOnlyList<StoredSegment> _segments;
    private readonly int[] _ends;
    private readonly int[] _limits;
    private readonly bool[] _isBad;
    private readonly OverwrittenSegments _retired;
    private readonly CrawlFindings _findings = new();
    private readonly CrawlRuns _runs;
    private readonly bool _isWhole;
    private long _records;
    private long _bytes;
    private bool _outOfTable;
    private bool _hasRuns;
    private int _walks;
    private Checkpoint? _from;

    /// <summary>Prepares a crawl.</summary>
    /// <param name="space">Flat space.</param>
    /// <param name="extents">The extents, all mapped.</param>
    /// <param name="builder">Gets the records.</param>
    /// <param name="identity">The pile's identity.</param>
    /// <param name="segments">What each segment was, by its index.</param>
    /// <param name="from">The checkpoint to begin with, or null.</param>
    /// <param name="isWhole">Whether every store is there: closed in order, or a process of this boot. Else a large object's pages may be missing
    /// although its descriptor is there.</param>
    /// <param name="isPowerSafe">Whether segments were used again only after a flush of what had been copied out of them.</param>
    internal Crawl(
        FlatSpace space, ExtentMap extents, TableBuilder builder, ulong identity, IReadOnlyList<StoredSegment> segments, Checkpoint? from, bool isWhole, bool isPowerSafe)
    {
        _from = from;
        _space = space;
        _builder = builder;
        _runs = new CrawlRuns(space, extents, builder);
        _identity = identity;
        _segments = segments;
        _isWhole = isWhole;
        (_ends, _limits) = (new int[segments.Count], new int[segments.Count]);
        _isBad = new bool[segments.Count];
        _retired = new OverwrittenSegments(space, builder, identity, segments, isReusedAfterCopies: (isWhole || isPowerSafe) && !Fault.RetiredBelieved);
        for (int index = 0; index < _limits.Length; index++)
        {
            _limits[index] = segments[index].EndBytes;
        }
    }

    /// <summary>Whether the checkpoint was used: then what it knows was not walked.</summary>
    internal bool IsFromCheckpoint => _from is not null;

    /// <summary>Why the checkpoint was not used although there was one, or null.</summary>
    internal string? CheckpointProblem { get; private set; }

    /// <summary>Records that were walked.</summary>
    internal long Records => Volatile.Read(ref _records);

    /// <summary>Bytes of segments that were walked.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Bytes of large objects' pages that were compared with their descriptors.</summary>
    internal long RunBytes => _runs.ComparedBytes;

    /// <summary>The newest flush that a marker proves; -1 for none.</summary>
    internal long ProvenFlush => _findings.ProvenFlush;

    /// <summary>What is damaged below what was proven.</summary>
    internal FirstFew<CrawlDamage> Damages => _findings.Damages;

    /// <summary>Whether there are large objects, whose pages are not all looked at.</summary>
    internal bool HasRuns => Volatile.Read(ref _hasRuns);

    /// <summary>Whether a segment ends where its records go on: before a large object without its pages that is its slot's current record.</summary>
    internal bool IsCutAtRun { get; private set; }

    /// <summary>Bytes of a segment that count.</summary>
    internal int EndOf(int index) => _ends[index];

    /// <summary>Walks everything.</summary>
    /// <param name="cores">Who walks.</param>
    /// <param name="progressed">Called now and then, from any thread, with the bytes walked.</param>
    /// <param name="cancellationToken">Ends the crawl; nothing has been changed but the table that was being built.</param>
    internal void Run(AllCores cores, Action<long> progressed, CancellationToken cancellationToken)
    {
        do
        {
            _retired.Find(cores, IsBroken, cancellationToken);
            Begin(cores);
            WalkAll(cores, progressed, cancellationToken);
        }
        while (TryCutAtMissingRuns(cores, cancellationToken) || TryLookAtAll());

        if (_outOfTable)
        {
            throw new PileFullException("The device has no room for the object table, which is built anew. Free space on it, then open the pile again.");
        }
    }

    /// <summary>Begins with what the checkpoint knows, or with nothing.</summary>
    private void Begin(AllCores cores)
    {
        if (_from is { } from)
        {
            bool[] isDoubted = new bool[_segments.Count];
            for (int index = 0; index < isDoubted.Length; index++)
            {
                isDoubted[index] = _segments[index].Counts && !_retired.Overwritten[index] && from.IsDoubted(_segments[index]);
            }

            CheckpointProblem = _builder.Begin(from, _retired.Overwritten, Array.Exists(isDoubted, static one => one) ? isDoubted : [], cores);
            _findings.Begin(from.Flush, from.Proven);
            if (CheckpointProblem is not null)
            {
                Forget();
            }
        }
    }

    /// <summary>Where something is damaged, a checkpoint is not relied upon: what it knows may be damaged as well. A retired segment that was taken for one
    /// that is used again, and is damaged, counts once the log alone says so.</summary>
    /// <returns>True when all is to be walked.</returns>
    private bool TryLookAtAll()
    {
        bool isKept = _retired.TryKeepDamaged(_limits, isOfLog: _from is null);
        if (!isKept && (_from is null || _findings.Damages.Count == 0))
        {
            return false;
        }

        CheckpointProblem = _from is null ? CheckpointProblem : "the log is damaged";
        Forget();
        Restart();
        return true;
    }

    private void Forget()
    {
        _from = null;
        _findings.Begin(-1, []);
    }

    private void Restart()
    {
        _builder.Clear();
        _findings.Clear();
        _runs.Clear();
        _isBad.AsSpan().Clear();
        (_records, _bytes) = (0, 0);
    }

    private void WalkAll(AllCores cores, Action<long> progressed, CancellationToken cancellationToken)
    {
        List<int> pieces = Pieces();
        cores.Run(pieces.Count - 1, piece =>
        {
            for (int index = pieces[piece]; index < pieces[piece + 1]; index++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                WalkOne(index, progressed);
            }
        });

        for (int index = 0; index < _segments.Count; index++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            StoredSegment stored = _segments[index];
            int proven = stored.Counts && _isBad[index] ? int.Min(_limits[index], Proven(index)) : 0;
            if (_ends[index] < proven)
            {
                _ends[index] = Walk(index, _ends[index], proven, counts: true);
            }
        }
    }

    private void WalkOne(int index, Action<long> progressed)
    {
        StoredSegment stored = _segments[index];
        if (stored.Counts)
        {
            int known = _from?.KnownBytes(stored) ?? 0;
            _ends[index] = _retired.Overwritten[index] ? 0
                : known == stored.EndBytes ? known
                : Walk(index, int.Max(known, SegmentHeader.Bytes), provenBytes: 0, counts: true);
            if (_isBad[index] && !_retired.Overwritten[index])
            {
                OpenTail.NoteMarkers(_space, WalkFrom(index, _ends[index]), _limits[index], _findings);
            }

            progressed(Interlocked.Add(ref _bytes, int.Max(0, _ends[index] - known)));
        }
    }

    /// <summary>Where the stretches of segments begin that one core walks in a row, and last where all end: neighbours, so that cores seldom
    /// meet in a page of the table.</summary>
    private List<int> Pieces()
    {
        List<int> pieces = [0];
        long bytes = 0;
        for (int index = 0; index < _segments.Count; index++)
        {
            bytes += _segments[index].EndBytes;
            if (bytes >= FileLimits.CrawlPieceBytes || index == _segments.Count - 1)
            {
                pieces.Add(index + 1);
                bytes = 0;
            }
        }

        return pieces;
    }

    /// <summary>Looks at the current descriptors whose pages are not what they were. One that is proven is damage; else it was never flushed, and its segment
    /// ends before it, or before the batch that it is part of. After many walks all ends are before whatever large was never flushed, so that no more
    /// can be met; who makes a log in which that changes what is proven, again and again, is told that it is damaged.</summary>
    /// <returns>True when a segment was cut: then all is to be walked again, because other records count now.</returns>
    private bool TryCutAtMissingRuns(AllCores cores, CancellationToken cancellationToken)
    {
        _walks++;
        bool mayCut = _walks < 2 * FileLimits.CrawlWalksMax;
        List<FoundRun> cut = _runs.FindMissing(cores, cancellationToken).FindAll(run =>
        {
            bool isCut = mayCut && TryCutAt(run);
            if (!isCut)
            {
                _findings.Note(new CrawlDamage(run.Segment, run.Offset, EndOfRecord(run) - run.Offset, _runs.RecordOf(run).Slot));
            }

            return isCut;
        });
        if (cut.Count > 0)
        {
            _runs.CutBefore(cut, TryCutAt);
            if (_walks >= FileLimits.CrawlWalksMax)
            {
                _runs.CutAll(TryCutAt);
            }

            IsCutAtRun = true;
            Restart();
        }

        return cut.Count > 0;
    }

    /// <summary>Lets a segment end before a descriptor, unless that is proven.</summary>
    private bool TryCutAt(FoundRun run)
    {
        bool isProven = EndOfRecord(run) <= Proven(run.Segment);
        _limits[run.Segment] = isProven ? _limits[run.Segment] : int.Min(_limits[run.Segment], run.CutOffset);
        return !isProven;
    }

    private int EndOfRecord(in FoundRun run) => run.Offset + SegmentWriter<DurableRecord>.RecordBytes(_runs.RecordOf(run).PayloadBytes);

    /// <summary>Bytes of a segment that are proven to have been written: all, or up to where its writer was, where every store is there.</summary>
    private int Proven(int index)
    {
        StoredSegment stored = _segments[index];
        return _retired.IsDamaged(index) ? stored.EndBytes
            : stored.State == SegmentRowState.Retired ? 0
            : !_isWhole ? _findings.ProvenBytes(stored)
            : stored.State != SegmentRowState.Open ? stored.EndBytes
            : int.Max(_findings.ProvenBytes(stored), OpenTail.EndOf(_space, WalkFrom(index, SegmentHeader.Bytes), _limits[index]));
    }

    private SegmentWalk<DurableRecord> WalkFrom(int index, int offset)
    {
        var walk = new SegmentWalk<DurableRecord>(_space, _segments[index].Segment, _limits[index], _identity);
        walk.Skip(offset - walk.Offset);
        return walk;
    }

    /// <summary>Whether a retired segment is not whole.</summary>
    private bool IsBroken(int index) =>
        Fault.RetiredBelieved || Walk(index, SegmentHeader.Bytes, provenBytes: 0, counts: false) < _limits[index];

    /// <summary>Adds the records from an offset on, up to the first bad one that lies beyond what is proven.</summary>
    /// <returns>Where that is.</returns>
    private int Walk(int index, int offset, int provenBytes, bool counts)
    {
        StoredSegment stored = _segments[index];
        stored.Segment.ReadAhead(offset, _limits[index]);
        SegmentWalk<DurableRecord> walk = WalkFrom(index, offset);
        var window = new CrawlWindow(_builder);
        long records = 0;
        (int frameBegin, int frameEnd) = (0, 0);
        while (true)
        {
            int begin = walk.Offset;
            if (!walk.TryNext(out long location, out _, out int recordBytes))
            {
                if (!walk.IsBad)
                {
                    // What is left is too short for a record.
                    EndWalk(window, records);
                    return _limits[index];
                }

                if (begin >= provenBytes)
                {
                    _isBad[index] = true;
                    break;
                }

                DamagedStretch.Skip(_space, ref walk, provenBytes);
                _findings.Note(new CrawlDamage(stored.Segment.Index, begin, walk.Offset - begin, Slot: 0));
                continue;
            }

            _space.PrefetchRecord(location + (FileLimits.CrawlAheadBytes / Limits.WordBytes));
            records += counts ? 1 : 0;
            var record = LogRecord.Read(_space, location);
            bool isWhole = record.IsPayloadWhole(_space);
            if (!isWhole && begin + SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes) > provenBytes)
            {
                _isBad[index] = true;
                EndWalk(window, records);
                return begin;
            }

            if (!isWhole)
            {
                _findings.Note(new CrawlDamage(stored.Segment.Index, begin, recordBytes, record.HasSlot ? record.Slot : 0, record.Code == RecordCode.Cache));
            }

            if (!counts)
            {
                continue;
            }

            if (record.Code == RecordCode.Frame)
            {
                (frameBegin, frameEnd) = (begin, begin + SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes));
            }
            else if (record.Code == RecordCode.Large && !_isWhole && isWhole)
            {
                _runs.Note(new FoundRun(location, index, begin, begin < frameEnd ? frameBegin : begin));
            }

            Add(record, window);
        }

        EndWalk(window, records);
        return walk.Offset;
    }

    private void EndWalk(CrawlWindow window, long records)
    {
        if (!window.TryEmpty())
        {
            Volatile.Write(ref _outOfTable, true);
        }

        _ = Interlocked.Add(ref _records, records);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Add(in LogRecord record, CrawlWindow window)
    {
        if (record.Code == RecordCode.Large)
        {
            Volatile.Write(ref _hasRuns, true);
        }

        if (record.Code == RecordCode.Marker)
        {
            _findings.NoteMarker(_space.Bytes(record.Location, DurableRecord.HeaderBytes, record.PayloadBytes));
        }
        else if (record.HasSlot && !window.TryAdd(record))
        {
            Volatile.Write(ref _outOfTable, true);
        }
    }
}
