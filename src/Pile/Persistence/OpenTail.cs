// Where the log of a segment ends that was open when its process died. What that writer was doing last leaves no whole record behind the
// bad place that it ends at, but for the members of a frame whose header was still to come, right behind that header's place.
// Anything else behind a bad place says that it was written once, and is damage.
using Pile.Format;
using Pile.Memory;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>Looks behind the bad place that a walk over an open segment has ended at.</summary>
internal static class OpenTail
{
    /// <summary>Goes on to the next whole record when what the walk has ended at is damage, and not the end of the log.</summary>
    /// <param name="space">Flat space.</param>
    /// <param name="walk">A walk that has ended at something bad; where it was, when that is the end.</param>
    /// <param name="endBytes">How far it is looked.</param>
    /// <param name="believed">The table where it is believed, or null: a record that an entry leads to was no killed frame's.</param>
    /// <returns>True when it is damage.</returns>
    internal static bool TryGoOn(FlatSpace space, ref SegmentWalk<DurableRecord> walk, int endBytes, TableBuilder? believed)
    {
        SegmentWalk<DurableRecord> behind = walk;
        DamagedStretch.Skip(space, ref behind, endBytes);
        if (behind.Offset >= endBytes || (behind.Offset == walk.Offset + DurableRecord.HeaderBytes && IsKilledFrame(space, behind, endBytes, believed)))
        {
            return false;
        }

        walk = behind;
        return true;
    }

    /// <summary>Walks on to where the log ends. Payloads are not looked at: a header is written last, so that a bad payload behind a whole one
    /// is damage as well.</summary>
    /// <returns>The offset.</returns>
    internal static int EndOf(FlatSpace space, SegmentWalk<DurableRecord> walk, int endBytes)
    {
        do
        {
            while (walk.TryNext(out _, out _, out _))
            {
            }
        }
        while (walk.IsBad && TryGoOn(space, ref walk, endBytes, believed: null));
        return walk.IsBad ? walk.Offset : endBytes;
    }

    /// <summary>Notes the markers behind the bad place that a walk stands at: wherever one stands, the flush that it proves was.</summary>
    /// <param name="space">Flat space.</param>
    /// <param name="walk">The walk.</param>
    /// <param name="endBytes">Where the segment ends.</param>
    /// <param name="findings">Gets them.</param>
    internal static void NoteMarkers(FlatSpace space, SegmentWalk<DurableRecord> walk, int endBytes, CrawlFindings findings)
    {
        do
        {
            DamagedStretch.Skip(space, ref walk, endBytes);
            while (walk.TryNext(out long location, out ulong word, out _))
            {
                if (RecordWord.Code(word) == RecordCode.Marker && LogRecord.Read(space, location) is var marker && marker.IsPayloadWhole(space))
                {
                    findings.NoteMarker(space.Bytes(location, DurableRecord.HeaderBytes, marker.PayloadBytes));
                }
            }
        }
        while (walk.IsBad);
    }

    /// <summary>Whether the records of a walk can be what a frame would have had, and nothing comes after them.</summary>
    private static bool IsKilledFrame(FlatSpace space, SegmentWalk<DurableRecord> walk, int endBytes, TableBuilder? believed)
    {
        while (walk.TryNext(out long location, out _, out _))
        {
            var record = LogRecord.Read(space, location);
            if (!record.HasSlot || believed?.IsCurrent(record) == true)
            {
                return false;
            }
        }

        if (!walk.IsBad)
        {
            return true;
        }

        DamagedStretch.Skip(space, ref walk, endBytes);
        return walk.Offset >= endBytes;
    }
}
