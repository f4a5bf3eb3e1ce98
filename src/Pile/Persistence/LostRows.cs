// Rows that say of a segment that it holds nothing, although entries of a table that is believed lead to records in it: a row that reads as
// zeros is a valid one. The count finds such entries damaged, and the next open goes by the log, which without the rows lacks the segments: it
// would not miss what they hold. So the rows are written again, from the segments' headers, before the table is forgotten. In this process the
// segment stays nobody's, and none whose header counts is handed out before the count has ended: its objects answer Corrupted, and nothing is stored over them.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>Looks where entries lead that lead to no record. Thread-safe.</summary>
/// <param name="extents">The extents.</param>
/// <param name="directory">The segments.</param>
/// <param name="left">The segments without space.</param>
/// <param name="files">Where their bytes stand.</param>
/// <param name="identity">The pile's identity.</param>
/// <param name="firstCounting">Segments of lower sequence were cleared.</param>
/// <param name="openedSequence">The last sequence that a segment may have had at the open.</param>
internal sealed class LostRows(ExtentMap extents, SegmentDirectory directory, LeftSpace left, FileRegions files, ulong identity, long firstCounting, long openedSequence)
{
    private readonly FlatSpace _space = directory.Space;
    private readonly Lock _gate = new();
    private readonly HashSet<int> _kept = [];

    /// <summary>Looks at an entry that leads to no record of its slot: where it is the row that is wrong, that is written again.</summary>
    internal void Note(uint slot, ulong entry)
    {
        if (Find(slot, entry, out long sequence, out int cutBytes) is { } segment)
        {
            using (_gate.EnterAnyhow())
            {
                if (!_kept.Contains(segment.Index) && left.TryKeep(segment))
                {
                    _ = _kept.Add(segment.Index);
                    segment.StoreRow(sequence, cutBytes >= SegmentHeader.Bytes ? SegmentRowState.Cut : SegmentRowState.Sealed);
                }
            }
        }
    }

    /// <summary>The segment of an entry, where it is the row that is wrong.</summary>
    /// <param name="slot">The entry's slot.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="sequence">The sequence that the segment's header says.</param>
    /// <param name="cutBytes">Where it says that a recovery cut the segment; 0 for nowhere.</param>
    internal Segment? Find(uint slot, ulong entry, out long sequence, out int cutBytes)
    {
        (sequence, cutBytes) = (0, 0);
        return AbsentOf(entry) is { } segment && IsOf(segment, slot, entry, out sequence, out cutBytes) ? segment : null;
    }

    /// <summary>The segment that an entry leads into, where its row says that it holds nothing.</summary>
    internal Segment? AbsentOf(ulong entry)
    {
        long location = EntryWord.Location(entry);
        return location != 0 && extents.Contains(location, DurableRecord.HeaderBytes) && _space.SegmentIndex(location) < directory.Count
            && directory.At(location) is { State: SegmentState.Absent } segment ? segment : null;
    }

    /// <summary>Whether a segment has a header that counts.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="sequence">The sequence that it says.</param>
    /// <param name="cutBytes">Where it says that a recovery cut the segment; 0 for nowhere.</param>
    internal bool HasHeader(Segment segment, out long sequence, out int cutBytes) =>
        Counts(_space.Bytes(segment.Location, 0, SegmentHeader.Bytes), segment, out sequence, out cutBytes);

    /// <summary>Whether a segment without space may hold what an entry leads to: before all is counted its header alone says so, as that of one does which was free
    /// when the process before ended. One that was never used, or given back, reads as zeros.</summary>
    internal bool MayHold(Segment segment)
    {
        // By a call: a look at the mapping may take space for a hole, or end the process where there is none.
        Span<byte> header = stackalloc byte[SegmentHeader.Bytes];
        return !files.TryRead(segment.Region, segment.RegionOffset, header) || Counts(header, segment, out _, out _);
    }

    private bool Counts(ReadOnlySpan<byte> header, Segment segment, out long sequence, out int cutBytes) =>
        SegmentHeader.TryRead(header, identity, segment.Location, out sequence, out cutBytes, out _) && sequence >= firstCounting && sequence <= openedSequence;

    /// <summary>Whether a segment has a header, and with the sequence that this says the record of an entry.</summary>
    private bool IsOf(Segment segment, uint slot, ulong entry, out long sequence, out int cutBytes)
    {
        long location = EntryWord.Location(entry);
        long offset = (location - segment.Location) * Limits.WordBytes;
        if (!HasHeader(segment, out sequence, out cutBytes) || offset < SegmentHeader.Bytes)
        {
            return false;
        }

        var record = LogRecord.Read(_space, location);
        return record.Slot == slot && DurableRecord.IsWhole(record.Word0, record.Word1, _space.ReadWord(location + 2), DurableRecord.SaltOf(identity, sequence), location);
    }
}
