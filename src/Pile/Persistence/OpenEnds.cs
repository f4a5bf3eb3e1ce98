// Where the short recovery found the ends of segments that were open when their process died, held against the table: an entry that leads behind
// one says that more was written there. The place is damaged then, which the log alone can't tell from its end: a later crawl must not take it
// for that.
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Persistence;

/// <summary>The ends that one short recovery found. Thread-safe once all are there.</summary>
/// <param name="space">Flat space.</param>
/// <param name="identity">The pile's identity.</param>
internal sealed class OpenEnds(FlatSpace space, ulong identity)
{
    // In the order of their places: one for each writer at the most, and those that opens before have cut.
    private readonly List<(Segment Segment, int End)> _ends = [];
    private readonly Lock _gate = new();

    /// <summary>Adds a segment that ended at something bad, behind all that were added.</summary>
    internal void Add(Segment segment, int end) => _ends.Add((segment, end));

    /// <summary>Notes that an entry leads to a place, which may be any: nothing, where that is in none of the segments, or before its end.</summary>
    /// <param name="location">The place.</param>
    /// <param name="bytes">What stands there takes so many bytes at the least.</param>
    internal void Note(long location, int bytes)
    {
        lock (_gate)
        {
            int index = IndexOf(location);
            if (index >= 0)
            {
                (Segment segment, int known) = _ends[index];
                long end = ((location - segment.Location) * Limits.WordBytes) + bytes;
                _ends[index] = (segment, end > known && end <= segment.Bytes ? (int)end : known);
            }
        }
    }

    /// <summary>The segment that a place is in; below 0 where it is in none of them.</summary>
    private int IndexOf(long location)
    {
        (int first, int count) = (0, _ends.Count);
        while (count > 1)
        {
            int half = count / 2;
            (first, count) = location >= _ends[first + half].Segment.Location ? (first + half, count - half) : (first, half);
        }

        return count > 0 && _ends[first].Segment is var segment && location >= segment.Location && location < segment.Location + (segment.Bytes / Limits.WordBytes) ? first : -1;
    }

    /// <summary>Notes where the entries lead that nobody has counted, when nobody changes them any more: who opens the pile next finds a segment that was
    /// cut, and takes what stands behind its end for nothing.</summary>
    /// <param name="extents">The extents.</param>
    /// <param name="directory">The segments.</param>
    /// <param name="table">The table.</param>
    /// <param name="endSlots">Its slots of before the open.</param>
    internal void NoteAll(ExtentMap extents, SegmentDirectory directory, ObjectTable table, long endSlots)
    {
        for (uint slot = Limits.FirstSlot; _ends.Count > 0 && slot < endSlots; slot++)
        {
            // Of all the others the record is not even looked at: it may be one read of the device for each.
            long location = EntryWord.Location(table.Read(slot));
            if (IndexOf(location) >= 0)
            {
                bool isRecord = LogRecord.TryRead(extents, directory, identity, location, out LogRecord record);
                Note(location, isRecord ? SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes) : DurableRecord.HeaderBytes);
            }
        }
    }

    /// <summary>Lets segments end behind all that entries lead to: a crawl reports what it finds bad before that. With the cleaner's role held.</summary>
    /// <param name="regions">Where the segments lie.</param>
    /// <returns>Bytes that they were made longer.</returns>
    internal long Lengthen(RegionProvider regions)
    {
        long added = 0;
        foreach ((Segment segment, int end) in _ends)
        {
            if (end > segment.WrittenBytes)
            {
                added += end - segment.WrittenBytes;
                segment.WrittenBytes = end;
                SegmentHeader.Write(space.Bytes(segment.Location, 0, SegmentHeader.Bytes), segment.Sequence, identity, segment.Location, end);
                regions.MarkDirty(segment.Region);
            }
        }

        return added;
    }
}
