// The header of a record at its place in the log: what the format writes behind word 0, and word 0 itself, last and with release.
// Who appends, and where, is SegmentWriter's business.
using System.Runtime.CompilerServices;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Headers of one format. The caller holds the writer whose open segment has the place.</summary>
internal static class PlacedHeader<TFormat>
    where TFormat : struct, IRecordFormat
{
    /// <summary>Writes the header of a record whose payload is in place.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Write(FlatSpace space, ulong word, uint payloadSum, in RecordStamp stamp)
    {
        if (TFormat.IsDurable)
        {
            TFormat.WriteRest(space.Bytes(stamp.Location, Limits.WordBytes, TFormat.HeaderBytes - Limits.WordBytes), word, payloadSum, stamp);
        }

        space.WriteWordRelease(stamp.Location, word);
    }

    /// <summary>Rewrites what depends on the place, once a record was copied to it.</summary>
    internal static void Restamp(FlatSpace space, ulong word, in RecordStamp stamp)
    {
        if (TFormat.IsDurable)
        {
            TFormat.Restamp(space.Bytes(stamp.Location, Limits.WordBytes, TFormat.HeaderBytes - Limits.WordBytes), word, stamp);
        }
    }
}
