// What a recovery does to segments once it knows what counts: seals what was open, and says in its header where it was cut.
// It appends nothing; entries are raised by RecoveryGenerations.
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Cuts of one recovery.</summary>
/// <param name="core">The heap, its segments restored and its table built.</param>
/// <param name="found">Meta as the open found it.</param>
/// <param name="regions">Where the segments lie.</param>
/// <param name="path">The pile's directory.</param>
/// <param name="isStored">Whether files may be changed.</param>
internal sealed class RecoveryCuts(HeapCore<DurableRecord> core, MetaSlot found, RegionProvider regions, string path, bool isStored)
{
    private readonly List<Segment> _ignored = [];

    /// <summary>Whether there is a segment in which nothing counts, because all that was copied out of it is there: after a kill the device may not have that yet.</summary>
    internal bool HasIgnored => _ignored.Count > 0;

    /// <summary>Says of those that they are free, once what was found is durable.</summary>
    internal void FreeIgnored() => _ignored.ForEach(static segment => segment.State = SegmentState.Free);

    /// <summary>Seals every segment, where it ends.</summary>
    /// <param name="segments">The segments.</param>
    /// <param name="ends">Where each ends.</param>
    /// <param name="mustTakeSpace">Whether the power was cut, or the files are others than they were: then what the device had set aside for
    /// a segment may be gone although its row is there (a sparse copy), or was given back although its row still says otherwise. It is
    /// taken again before anything is stored.</param>
    /// <returns>How many were cut before the end they might have had.</returns>
    /// <exception cref="PileFullException">The device has no room for what the segments had.</exception>
    internal int CutSegments(IReadOnlyList<StoredSegment> segments, int[] ends, bool mustTakeSpace)
    {
        if (isStored && mustTakeSpace)
        {
            TakeSpace(segments);
        }

        int cuts = 0;
        for (int index = 0; index < segments.Count; index++)
        {
            StoredSegment stored = segments[index];
            Segment segment = stored.Segment;
            if (stored.State == SegmentRowState.Absent)
            {
                continue;
            }

            segment.NeededFlush = core.Log.Flushes.Next;
            segment.WrittenBytes = stored.IsCleared ? 0 : int.Max(ends[index], 0);
            bool isCut = !stored.IsCleared && ends[index] < stored.EndBytes;
            if (stored.State == SegmentRowState.Quarantined)
            {
                core.Retired.RestoreQuarantined(segment);
                if (isCut && isStored)
                {
                    WriteCut(segment, ends[index]);
                    segment.State = SegmentState.Quarantined;
                }

                continue;
            }

            if (stored.IsCleared)
            {
                segment.Restore(segment.Sequence, SegmentState.Free);
                continue;
            }

            if (stored.State == SegmentRowState.Retired && ends[index] == 0)
            {
                // Not sealed where it ends: should that row alone survive another cut, what was overwritten would look like damage.
                segment.Restore(segment.Sequence, SegmentState.Free);
                _ignored.Add(segment);

                continue;
            }

            isCut |= stored.State is SegmentRowState.Open or SegmentRowState.Retired && ends[index] < segment.Bytes;
            cuts += isCut ? 1 : 0;
            if (Fault.AppendedToOld && isStored && stored.State == SegmentRowState.Open && ends[index] > SegmentHeader.Bytes && ends[index] < segment.Bytes && core.Pool.Old is null)
            {
                segment.Restore(segment.Sequence, SegmentState.Sealed);
                core.Pool.Old = segment;
            }
            else if (!isStored)
            {
                segment.Restore(segment.Sequence, SegmentState.Sealed);
            }
            else if (isCut)
            {
                WriteCut(segment, ends[index]);
                segment.SealCut();
            }
            else if (stored.State is SegmentRowState.Open or SegmentRowState.Retired)
            {
                segment.State = SegmentState.Sealed;
            }

            core.Writers.Survivors.CountRestored(segment.WrittenBytes);
        }

        return cuts;
    }

    /// <summary>Takes the space of all segments that are there, of neighbours in one extent by one call.</summary>
    private void TakeSpace(IReadOnlyList<StoredSegment> segments)
    {
        for (int first = 0, end; first < segments.Count; first = end)
        {
            end = first + 1;
            if (segments[first].State == SegmentRowState.Absent)
            {
                continue;
            }

            Segment segment = segments[first].Segment;
            long bytes = segment.Bytes;
            while (end < segments.Count && segments[end].State != SegmentRowState.Absent
                && segments[end].Segment is { } next && next.Region == segment.Region && next.RegionOffset == segment.RegionOffset + bytes)
            {
                bytes += next.Bytes;
                end++;
            }

            if (!regions.TryAllocate(segment.Region, segment.RegionOffset, bytes))
            {
                throw new PileFullException(
                    $"'{path}': the device has no room for {bytes:N0} bytes of segments, whose space is taken again after a power cut, and in a copy. Free space on it, then open the pile again.", path: path);
            }
        }
    }

    /// <summary>Says in a segment's header where it ends: what stands behind counts for nothing, whatever later flushes prove.</summary>
    private void WriteCut(Segment segment, int end) => SegmentHeader.Write(
        core.Directory.Space.Bytes(segment.Location, 0, SegmentHeader.Bytes), segment.Sequence, found.Identity, segment.Location, int.Max(SegmentHeader.Bytes, end));
}
