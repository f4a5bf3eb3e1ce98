// The note in the head of a keyed record: two words, where the head's noted bit is set.
// First word, low to high: stamp 56, the last removal by tag when the entry began to be made | tags 6 | kind 2. Second word: how
// long before the entry goes it is shown no more, in ticks.
using System.Runtime.CompilerServices;

namespace Pile.Format;

/// <summary>Packing and reading of a note's first word.</summary>
internal static class NoteWord
{
    /// <summary>The greatest stamp.</summary>
    internal const long StampMax = (1L << TagsShift) - 1;

    private const int TagsShift = 56;
    private const int TagsMask = 63;
    private const int KindShift = 62;

    internal static ulong Pack(long stamp, int tags, byte kind) => (ulong)stamp | ((ulong)(uint)tags << TagsShift) | ((ulong)kind << KindShift);

    internal static long Stamp(ulong word) => (long)word & StampMax;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Tags(ulong word) => (int)(word >> TagsShift) & TagsMask;

    internal static byte Kind(ulong word) => (byte)(word >> KindShift);
}
