// Finds the end of a stretch of a segment that holds no record: the check of a record holds for its own place only, so the next one is
// looked for word by word. It reports nothing; who walks does.
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>Walks on behind damage.</summary>
internal static class DamagedStretch
{
    /// <summary>Moves a walk that ended at something that is no record to the next whole record.</summary>
    /// <param name="space">Flat space.</param>
    /// <param name="walk">The walk.</param>
    /// <param name="endBytes">Where the search ends when nothing is found.</param>
    internal static void Skip(FlatSpace space, ref SegmentWalk<DurableRecord> walk, int endBytes)
    {
        do
        {
            walk.Skip(Limits.WordBytes);
            SkipZeros(space, ref walk, endBytes);
        }
        while (walk.Offset < endBytes && !IsFound(space, ref walk, endBytes));
    }

    /// <summary>No record begins with a word of zeros, and what was never written is nothing else.</summary>
    private static void SkipZeros(FlatSpace space, ref SegmentWalk<DurableRecord> walk, int endBytes)
    {
        while (walk.Offset < endBytes && space.ReadWord(walk.Location) == 0)
        {
            walk.Skip(Limits.WordBytes);
        }
    }

    /// <summary>Whether the walk stands at a whole record, or at the end because nothing more is looked for.</summary>
    private static bool IsFound(FlatSpace space, ref SegmentWalk<DurableRecord> walk, int endBytes)
    {
        SegmentWalk<DurableRecord> next = walk;
        if (!next.TryNext(out long location, out _, out _))
        {
            return false;
        }

        var record = LogRecord.Read(space, location);
        if (record.IsPayloadWhole(space))
        {
            return true;
        }

        if (walk.TryCountTried(SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes)))
        {
            return false;
        }

        // Whoever made this wants the search to take hours: what stands behind is given up like what stands here.
        walk.Skip(Align.Up(endBytes - walk.Offset, Limits.WordBytes));
        return true;
    }
}
