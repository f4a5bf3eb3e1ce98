// Recomputes every invariant of a heap from its bytes and compares: entries against records, records against segments,
// segments against counters, counters against the budget. Counts agree only while nobody writes: for those the caller holds all
// writers and the cleaner's role. What a pile that is written to has in files is done before (VerifyAhead); both on all cores.
using System;
using System.Threading;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>One verification.</summary>
internal sealed class HeapVerifier<TFormat>
    where TFormat : struct, IRecordFormat
{
    private readonly HeapCore<TFormat> _core;
    private readonly ProgressTeller<PileVerifyProgress> _progress;
    private readonly CancellationToken _cancellationToken;
    private readonly VerifyAhead<TFormat> _ahead;
    private readonly VerifyShare<TFormat> _sum;
    private readonly VerifyFindings _findings;
    private readonly Lock _gate = new();
    private readonly long _totalBytes;
    private long _bytes;

    /// <summary>Prepares a verification.</summary>
    /// <param name="core">The heap.</param>
    /// <param name="progress">Gets the progress, or null.</param>
    /// <param name="cancellationToken">Ends it between two segments.</param>
    internal HeapVerifier(HeapCore<TFormat> core, IProgress<PileVerifyProgress>? progress, CancellationToken cancellationToken)
    {
        _core = core;
        _progress = new ProgressTeller<PileVerifyProgress>(progress);
        _cancellationToken = cancellationToken;
        _ahead = new VerifyAhead<TFormat>(core, Read, cancellationToken);
        _sum = new VerifyShare<TFormat>(core, _ahead);
        _findings = _sum.Findings;
        _totalBytes = core.Large.UsedBytes;
        for (int index = 0; index < core.Directory.Count; index++)
        {
            Segment segment = core.Directory[index];
            _totalBytes += segment.State is SegmentState.Sealed or SegmentState.Open ? core.Writers.WrittenOf(segment) : 0;
        }
    }

    /// <summary>Reads what can be read beside the users, where somebody could be kept waiting. Nothing is held.</summary>
    internal void ReadAhead()
    {
        if (TFormat.IsDurable && _core.WriteRefusal == PileStatus.Ok)
        {
            _ahead.Run();
        }
    }

    /// <summary>Checks everything, but for the bytes that are known to be good. All writers and the cleaner's role are held.</summary>
    internal PileVerifyReport Run()
    {
        _ahead.AddTo(_sum);
        WalkSegments();
        WalkEntries();
        _findings.Order = int.MaxValue;
        _findings.Expect(PileDamage.LiveBytes, "all segments", _sum.LiveBytes, _core.Writers.LiveBytes);
        _findings.Expect(PileDamage.ObjectCount, "all writers", _sum.Objects, _core.Writers.Objects);
        _findings.Expect(PileDamage.ObjectCount, "schemas", _sum.Schemas, _core.Schemas);
        _findings.Expect(PileDamage.ObjectCount, "keyed records", _sum.Keyed, _core.Keyed?.Records ?? 0);
        CheckSlots(_sum.Objects + _sum.Schemas);
        _core.Large.WhileStill(CheckBudget);
        if (_core.Keeper.Failure is { } failure)
        {
            _findings.Add(PileDamage.KeeperFailed, "background thread", "running", failure.Message);
        }

        return new PileVerifyReport(_sum.Segments, _sum.Records, _sum.Objects, _findings.InOrder()) { Bytes = _bytes };
    }

    /// <summary>Returns when the user was told how far it came. Nothing is held.</summary>
    internal void End() => _progress.End();

    /// <summary>Counts bytes that a thread has read.</summary>
    private void Read(long bytes)
    {
        lock (_gate)
        {
            _bytes += bytes;
            _progress.Tell(new PileVerifyProgress(_bytes, long.Max(_bytes, _totalBytes)));
        }
    }

    private void WalkSegments()
    {
        int next = -1;
        Share(_totalBytes, FileLimits.VerifyShareBytes, share =>
        {
            for (int index = Interlocked.Increment(ref next); index < _core.Directory.Count; index = Interlocked.Increment(ref next))
            {
                _cancellationToken.ThrowIfCancellationRequested();
                Segment segment = _core.Directory[index];
                switch (segment.State)
                {
                    case SegmentState.Sealed when _ahead.Counted.Contains(segment):
                        share.Take(segment);
                        break;
                    case SegmentState.Sealed or SegmentState.Open:
                        int written = _core.Writers.WrittenOf(segment);
                        Read(share.Walk(segment, written, int.Min(written, _ahead.KnownBytes(segment))));
                        break;
                    case SegmentState.Quarantined:
                        share.Findings.Order = index;
                        share.Findings.Add(PileDamage.SegmentQuarantined, VerifyFindings.Name(segment), "in use", "quarantined");
                        break;
                }
            }
        });
    }

    /// <summary>Compares the entries with what the walk over the segments found: it met each record that its slot's entry refers to. As
    /// many entries as such records, but for those that were met before: then each entry is right. Only otherwise they are looked at one by one, for what is wrong.</summary>
    private void WalkEntries()
    {
        uint end = _core.Slots.HighWater;
        long next = -1;
        Share(end, FileLimits.TablePieceSlots, share =>
        {
            for (long first = NextChunk(); first < end; first = NextChunk())
            {
                share.CountEntries(uint.Max((uint)first, Limits.FirstSlot), (uint)long.Min(first + FileLimits.TablePieceSlots, end));
            }
        });
        long referring = _sum.Objects + _sum.Schemas + _sum.Tombstones - _sum.Met;
        if (!_sum.IsOdd && _findings.Count == 0 && referring == _sum.Current)
        {
            return;
        }

        int before = _findings.Count;
        _findings.Order = int.MaxValue;
        var checks = new EntryChecks<TFormat>(_core, _findings);
        for (uint slot = Limits.FirstSlot; slot < end; slot++)
        {
            ulong entry = _core.Table.Read(slot);
            if (EntryWord.IsLive(entry) || EntryWord.Location(entry) != 0)
            {
                checks.Check(slot, entry);
            }
        }

        if (_findings.Count == before)
        {
            _findings.Expect(PileDamage.EntryNotAtRecord, "all live entries", referring, _sum.Current);
        }

        long NextChunk() => Interlocked.Increment(ref next) * FileLimits.TablePieceSlots;
    }

    /// <summary>Has a part of the work done on several threads, and adds up what they counted.</summary>
    private void Share(long amount, long share, Action<VerifyShare<TFormat>> work) =>
        AllCores.Share(amount, share, () =>
        {
            var own = new VerifyShare<TFormat>(_core, _ahead);
            work(own);
            lock (_gate)
            {
                _sum.Add(own, isOfNow: true);
            }
        });

    private void CheckSlots(long objects)
    {
        long found = _core.Slots.Recount(out long pooled, out long waiting);
        _findings.Expect(PileDamage.SlotPoolCount, "bitmap of free slots", found, pooled);
        long held = 0;
        for (int index = 0; index < _core.Writers.Count; index++)
        {
            held += _core.Writers[index]?.SlotsHeld ?? 0;
        }

        _findings.Expect(PileDamage.SlotsLost, "live + pooled + held + retired", _core.Slots.HighWater - Limits.FirstSlot, objects + pooled + waiting + _core.SlotsHeldApart() + held + _core.Slots.Retired);
    }

    private void CheckBudget()
    {
        // Others may be writing large objects: a run is taken, and pages of runs are counted, without a writer.
        (long used, long resident, long unreferenced) = _core.Large.Recount();
        _findings.Expect(PileDamage.LargeRunBytes, "runs in use", _sum.RunBytes + _ahead.Counted.RunBytes(_core.Table) + unreferenced, used);
        long segmentBytes = 0;
        long freeBytes = 0;
        for (int index = 0; index < _core.Directory.Count; index++)
        {
            Segment segment = _core.Directory[index];
            segmentBytes += segment.State == SegmentState.Absent ? 0 : segment.Bytes;
            freeBytes += segment.State == SegmentState.Free ? segment.Bytes : 0;
        }

        _findings.Expect(PileDamage.SegmentPoolCount, "resident segments", segmentBytes, _core.Pool.ResidentBytes);
        _findings.Expect(PileDamage.SegmentPoolCount, "free segments", freeBytes, _core.Pool.FreeBytes);
        _findings.Expect(PileDamage.UsedBytes, "table + segments + large objects + index", _core.Slots.TakenBytes + segmentBytes + resident + (_core.Keyed?.TakenBytes ?? 0), _core.Budget.UsedBytes);
    }
}
