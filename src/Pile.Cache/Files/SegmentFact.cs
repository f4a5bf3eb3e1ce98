// What a cache knows of one segment.
// A row of CacheFacts, and what a count of a cache that was not closed in order adds up.
using System.IO;

namespace Pile.Cache.Files;

/// <summary>A segment's row.</summary>
/// <param name="Index">The segment.</param>
/// <param name="Sequence">Its sequence.</param>
/// <param name="LiveBytes">Bytes of the records that cells of speculative tables lead to.</param>
/// <param name="EndTicks">The time from which on some of these may have ended.</param>
/// <param name="Priorities">A bit for each priority that stands in it, and one for notes.</param>
/// <param name="HoldsSurvivors">Whether they had survived cleaning.</param>
internal readonly record struct SegmentFact(int Index, long Sequence, int LiveBytes, long EndTicks, int Priorities, bool HoldsSurvivors)
{
    internal static SegmentFact Read(BinaryReader reader) =>
        new(reader.ReadInt32(), reader.ReadInt64(), reader.ReadInt32(), reader.ReadInt64(), reader.ReadByte(), reader.ReadByte() != 0);

    internal void Write(BinaryWriter writer)
    {
        writer.Write(Index);
        writer.Write(Sequence);
        writer.Write(LiveBytes);
        writer.Write(EndTicks);
        writer.Write((byte)Priorities);
        writer.Write((byte)(HoldsSurvivors ? 1 : 0));
    }
}
