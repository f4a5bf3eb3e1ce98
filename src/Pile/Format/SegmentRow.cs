// A segment's row in its extent file: sequence 40 | state 4 | check 20, low to high, one word that is stored whole or not at all.
// The check covers the rest, the pile's identity and the segment's place: a row of elsewhere never passes. A zero word is Absent.
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>What an extent file says about one of its segments.</summary>
/// <param name="Sequence">Sequence number, from 1; 0 when absent.</param>
/// <param name="State">State.</param>
internal readonly record struct SegmentRow(long Sequence, SegmentRowState State)
{
    internal const int Bytes = sizeof(ulong);
    internal const int SequenceBits = 40;
    internal const long SequenceMax = (1L << SequenceBits) - 1;
    private const int StateBits = 4;
    private const int CheckShift = SequenceBits + StateBits;
    private const ulong StateMask = (1UL << StateBits) - 1;
    private const ulong RestMask = (1UL << CheckShift) - 1;
    private const int CrcDroppedBits = 32 - (64 - CheckShift);

    /// <summary>The word of a row.</summary>
    /// <param name="sequence">1 to <see cref="SequenceMax"/>; 0 with Absent.</param>
    /// <param name="state">State.</param>
    /// <param name="identity">The pile's.</param>
    /// <param name="firstLocation">First location of the segment.</param>
    internal static ulong Pack(long sequence, SegmentRowState state, ulong identity, long firstLocation)
    {
        Check.That(state == SegmentRowState.Absent ? sequence == 0 : sequence is >= 1 and <= SequenceMax);
        return state == SegmentRowState.Absent ? 0 : Checked((ulong)sequence | ((ulong)state << SequenceBits), identity, firstLocation);
    }

    /// <summary>Reads a word.</summary>
    /// <returns>False when no row of this pile and place is such a word.</returns>
    internal static bool TryParse(ulong word, ulong identity, long firstLocation, out SegmentRow row)
    {
        row = default;
        if (word == 0)
        {
            return true;
        }

        long sequence = (long)(word & (ulong)SequenceMax);
        var state = (SegmentRowState)((word >> SequenceBits) & StateMask);
        if (sequence == 0 || state is SegmentRowState.Absent or > SegmentRowState.RetiredCut || Checked(word & RestMask, identity, firstLocation) != word)
        {
            return false;
        }

        row = new SegmentRow(sequence, state);
        return true;
    }

    private static ulong Checked(ulong rest, ulong identity, long firstLocation)
    {
        uint crc = Crc32C.Append(0, rest);
        crc = Crc32C.Append(crc, identity);
        crc = Crc32C.Append(crc, (ulong)firstLocation);
        return rest | ((ulong)(crc >> CrcDroppedBits) << CheckShift);
    }
}
