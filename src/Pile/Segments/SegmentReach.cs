// How far a writer stores into its segment before it asks again: as far as the file is filled (decision 49), and, in a pile in memory, to
// the mark at which the next segment is made ready. Both by the limit that a Put compares with anyway, so that neither costs it anything.
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>The next stop of a writer within its segment. Any writer's holder, each for its own segment.</summary>
internal sealed class SegmentReach(RegionProvider provider)
{
    /// <summary>Whether segments end at a mark first.</summary>
    internal bool TellsEnds { get; } = !provider.KeepsSegmentRows;

    /// <summary>Makes a segment ready to be stored into, and some more of it than is asked for.</summary>
    /// <param name="segment">The caller's own.</param>
    /// <param name="bytes">Bytes from its beginning that must be ready.</param>
    /// <param name="isNowEnding">Whether that is beyond the mark near its end, the first time.</param>
    /// <returns>Bytes from its beginning that are.</returns>
    internal int Extend(Segment segment, int bytes, out bool isNowEnding)
    {
        isNowEnding = false;
        Fill(segment, bytes);
        if (!TellsEnds || segment.IsEnding)
        {
            return segment.FilledBytes;
        }

        int mark = segment.Bytes - (segment.Bytes / RoomLimits.SegmentEndFraction);
        if (bytes <= mark)
        {
            return int.Min(segment.FilledBytes, mark);
        }

        segment.IsEnding = isNowEnding = true;
        return segment.FilledBytes;
    }

    private void Fill(Segment segment, int bytes)
    {
        int from = segment.FilledBytes;
        if (from < bytes)
        {
            segment.FilledBytes = int.Min(segment.Bytes, Align.Up(bytes, FileLimits.FillBytes));
            provider.Fill(segment.Region, segment.RegionOffset + from, segment.FilledBytes - from);
        }
    }
}
