// The note in the head of a keyed record: two words, where the head's noted bit is set.
// First word, low to high: stamp 48, how many removals by tag there had been when the entry was made | tags 8 | kind 8. Second word: how
// long before the entry goes it is shown no more, in ticks.
using System.Runtime.CompilerServices;

namespace Pile.Format;

/// <summary>Packing and reading of a note's first word.</summary>
internal static class NoteWord
{
    /// <summary>The greatest stamp: removals that a cache can ever record.</summary>
    internal const long StampMax = (1L << 48) - 1;

    private const int TagsShift = 48;
    private const int KindShift = 56;

    internal static ulong Pack(long stamp, int tags, byte kind) => (ulong)stamp | ((ulong)(byte)tags << TagsShift) | ((ulong)kind << KindShift);

    internal static long Stamp(ulong word) => (long)word & StampMax;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Tags(ulong word) => (byte)(word >> TagsShift);

    internal static byte Kind(ulong word) => (byte)(word >> KindShift);
}
