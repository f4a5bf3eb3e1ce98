// Segments that no entry refers to any more, until their epoch has passed, their pins are gone and, where a power cut must not
// lose what was copied out of them, a flush that began after that has completed (S2).
// Before reuse the dead counts of all writers are folded: a segment whose counts do not add up is quarantined, never reused.
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Threading;
using Pile.Diagnostics;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>Queue of retired segments. Belongs to the cleaner role; the counts may be read by anyone.</summary>
internal sealed class RetiredSegments<TFormat>(EpochDomain epochs, WriterSet<TFormat> writers, SegmentPool pool, FlushClock flushes)
    where TFormat : struct, IRecordFormat
{
    private readonly List<Waiting> _waiting = [];
    private int _count;
    private long _bytes;
    private int _pinned;
    private long _pinnedBytes;
    private int _quarantined;
    private long _lastEpoch;

    /// <summary>Segments waiting.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Of these, how many were seen pinned.</summary>
    internal int Pinned => Volatile.Read(ref _pinned);

    /// <summary>Bytes of those that were not: readers leave and flushes come, but a pin lasts as long as its holder likes, and what it holds is no reason to wait.</summary>
    internal long AwaitedBytes => Bytes - Volatile.Read(ref _pinnedBytes);

    /// <summary>Segments out of use because bytes or counts of theirs disagreed.</summary>
    internal int Quarantined => Volatile.Read(ref _quarantined);

    /// <summary>Bytes of the segments waiting.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Bytes of records that stand twice: copied out of segments that wait for their readers.</summary>
    internal long CopiedBytes { get; private set; }

    /// <summary>Finds the room for so many more: adding them can't fail then. Before an entry is swung away from the first.</summary>
    internal void Reserve(int more) => _waiting.EnsureCapacity(_waiting.Count + more);

    /// <summary>Adds a batch whose entries have all been swung, and ends the epoch.</summary>
    internal void Add(Victims victims, int count)
    {
        for (int index = 0; index < count; index++)
        {
            victims[index].State = SegmentState.Retired;
        }

        EndEpoch();
        for (int index = 0; index < count; index++)
        {
            _waiting.Add(new Waiting(victims[index], _lastEpoch, flushes.Next, victims.LiveBytes(index)));
            CopiedBytes += victims.LiveBytes(index);
        }

        CountWaiting();
    }

    /// <summary>Adds segments to which no entry refers any more, and ends the epoch.</summary>
    internal void Add(List<Segment> emptied)
    {
        foreach (Segment segment in emptied)
        {
            segment.State = SegmentState.Retired;
        }

        EndEpoch();
        foreach (Segment segment in emptied)
        {
            _waiting.Add(new Waiting(segment, _lastEpoch, flushes.Next, CopiedBytes: 0));
        }

        CountWaiting();
    }

    /// <summary>Waits for the readers of the last batch.</summary>
    internal bool WaitPassed(int waitMs) => _waiting.Count == 0 || epochs.WaitPassed(_lastEpoch, waitMs);

    /// <summary>Frees what is past its epoch and not pinned.</summary>
    /// <returns>Segments freed.</returns>
    internal int Reclaim()
    {
        int kept = 0;
        int next = 0;
        int pinned = 0;
        int before = _waiting.Count;
        long pinnedBytes = 0;
        long passed = 0;
        long copied = 0;
        long uncovered = 0;
        try
        {
            for (; next < before; next++)
            {
                (Segment segment, long epoch, long flush, int copiedBytes) = _waiting[next];
                if (epoch > passed && (epochs.HasPassed(epoch) || Fault.ReuseEarly))
                {
                    passed = epoch;
                }

                bool isPinned = segment.Pins > 0 && !Fault.PinsIgnored;
                bool isCovered = flushes.HasCovered(flush) || Fault.ReuseUnflushed;
                if (epoch > passed || isPinned || !isCovered)
                {
                    pinned += isPinned ? 1 : 0;
                    pinnedBytes += isPinned ? segment.Bytes : 0;
                    copied += epoch > passed ? copiedBytes : 0;
                    uncovered = isCovered ? uncovered : long.Max(uncovered, flush);
                    _waiting[kept++] = _waiting[next];
                    continue;
                }

                Return(segment);
            }
        }
        finally
        {
            // Whatever happens, no segment is freed twice: it may be somebody's by then.
            _waiting.RemoveRange(kept, next - kept);
            CountWaiting();
        }

        CopiedBytes = copied;
        Volatile.Write(ref _pinned, pinned);
        Volatile.Write(ref _pinnedBytes, pinnedBytes);
        flushes.Ask(uncovered);

        return before - kept;
    }

    /// <summary>Takes a segment out of use for good: its bytes or its counts are not what they should be.</summary>
    internal void Quarantine(Segment segment)
    {
        segment.State = SegmentState.Quarantined;
        CountQuarantined();
        EventsAside.Tell(EventLevel.Error, () => PileEventSource.Log.SegmentQuarantined(segment.Index));
    }

    /// <summary>Leaves a segment out of use that was so when the pile was last open. Its row is not written.</summary>
    internal void RestoreQuarantined(Segment segment)
    {
        segment.Restore(long.Max(1, segment.Sequence), SegmentState.Quarantined);
        CountQuarantined();
    }

    /// <summary>Ends the epoch, once the segments say that they are retired: who enters after that is not waited for, and sees it.</summary>
    private void EndEpoch() => _lastEpoch = epochs.Advance();

    private void CountWaiting()
    {
        long bytes = 0;
        foreach (Waiting waiting in _waiting)
        {
            bytes += waiting.Segment.Bytes;
        }

        Volatile.Write(ref _bytes, bytes);
        Volatile.Write(ref _count, _waiting.Count);
    }

    private void CountQuarantined() => Volatile.Write(ref _quarantined, _quarantined + 1);

    private void Return(Segment segment)
    {
        // Every count for this segment was made inside the epoch that has passed, so the sum is final.
        if (writers.DeadOf(segment.Index) != segment.WrittenBytes)
        {
            Quarantine(segment);
            return;
        }

        writers.ResetDead(segment.Index);
        pool.Free(segment);
    }

    private readonly record struct Waiting(Segment Segment, long Epoch, long Flush, int CopiedBytes);
}
