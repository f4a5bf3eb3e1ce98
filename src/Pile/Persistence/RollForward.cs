// The short recovery (R3): the table is believed, and only what each writer was doing last may not have reached it, which is the last
// record or the last batch of each segment that was open. It changes entries and nothing else.
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Persistence;

/// <summary>One short recovery.</summary>
/// <param name="space">Flat space.</param>
/// <param name="builder">Gets the records.</param>
/// <param name="identity">The pile's identity.</param>
internal sealed class RollForward(FlatSpace space, TableBuilder builder, ulong identity)
{
    private readonly List<long> _last = [];

    /// <summary>Records that were looked at again.</summary>
    internal long Records { get; private set; }

    /// <summary>Bytes that were walked.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Places behind which records stand that were published.</summary>
    internal FirstFew<CrawlDamage> Damages { get; } = new(FileLimits.DamagesListedMax);

    /// <summary>Where the segments end that were open, now or when an open before this one found them.</summary>
    internal OpenEnds Ends { get; } = new(space, identity);

    /// <summary>Their slots.</summary>
    internal SlotList Slots { get; } = new();

    /// <summary>Takes what a segment's writer did last.</summary>
    /// <returns>Bytes of the segment that count.</returns>
    /// <exception cref="PileFullException">The table has no room for a slot.</exception>
    internal int Take(StoredSegment stored)
    {
        if (stored.State != SegmentRowState.Open || stored.IsCleared || Fault.NotRolledForward)
        {
            if (stored.State == SegmentRowState.Cut && !stored.IsCleared)
            {
                // The open that cut it may have ended before its count did.
                Ends.Add(stored.Segment, stored.EndBytes);
            }

            return stored.EndBytes;
        }

        var walk = new SegmentWalk<DurableRecord>(space, stored.Segment, stored.EndBytes, identity);
        while (true)
        {
            WalkOn(ref walk);
            int bad = walk.Offset;
            if (!walk.IsBad || !OpenTail.TryGoOn(space, ref walk, int.Min(stored.EndBytes, bad + FileLimits.LookBehindBytes), builder))
            {
                break;
            }

            Damages.Add(new CrawlDamage(stored.Segment.Index, bad, walk.Offset - bad, Slot: 0));
        }

        RollForwardLast();
        if (!walk.IsBad)
        {
            return stored.EndBytes;
        }

        Ends.Add(stored.Segment, walk.Offset);
        return walk.Offset;
    }

    /// <summary>Walks up to the next bad place; the last record, or those of the last batch, are kept.</summary>
    private void WalkOn(ref SegmentWalk<DurableRecord> walk)
    {
        long frameEnd = 0;
        _last.Clear();
        while (walk.TryNext(out long location, out ulong word, out int recordBytes))
        {
            Bytes += recordBytes;
            if (RecordWord.Code(word) == RecordCode.Frame)
            {
                frameEnd = location + ((DurableRecord.HeaderBytes + RecordWord.PayloadBytes(word)) / Limits.WordBytes);
                _last.Clear();
            }
            else if (RecordWord.HasSlot(word))
            {
                if (location >= frameEnd)
                {
                    _last.Clear();
                }

                _last.Add(location);
            }
        }
    }

    private void RollForwardLast()
    {
        foreach (long location in _last)
        {
            var record = LogRecord.Read(space, location);
            if (builder.TryRefuse(record) || !builder.IsComparable(record))
            {
                // The object answers Corrupted, and the count reports it.
                continue;
            }

            if (!builder.TryAdd(record))
            {
                throw new PileFullException("DiskLimitBytes, or the device, leaves no room for the object table. Raise it, then open the pile again.");
            }

            Records++;
            Slots.Add(record.Slot);
        }
    }
}
