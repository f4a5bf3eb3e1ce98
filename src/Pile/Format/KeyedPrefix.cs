// The first word of the payload of an entry of a durable table in files, before KeyedHead: kind 8 | era 10 | tag 14 | hash, low half, 32.
// Tag and low half are all that a cell needs to know of the hash, so that an index can be built from records alone, without the keys'
// comparer. The era counts the table's Clears: an entry of another one was cleared.
using System.Runtime.CompilerServices;

namespace Pile.Format;

/// <summary>Packing and reading of the word.</summary>
internal static class KeyedPrefix
{
    internal const int Bytes = sizeof(ulong);
    internal const int EraMask = (1 << 10) - 1;
    private const int EraShift = 8;
    private const int TagShift = 18;
    private const int TagMask = (1 << 14) - 1;
    private const int HashTagShift = 50;

    /// <summary>The word.</summary>
    /// <param name="era">The table's era, 0 to <see cref="EraMask"/>.</param>
    /// <param name="hash">The key's hash.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack(int era, ulong hash) =>
        (byte)ExtendedKind.CacheEntry | ((ulong)(uint)era << EraShift) | (hash >> HashTagShift << TagShift) | (hash << 32);

    /// <summary>Whether a payload that begins with a word is an entry's, given the code of its record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsEntry(RecordCode code, ulong prefix) => code == RecordCode.Extended && (byte)prefix == (byte)ExtendedKind.CacheEntry;

    internal static int Era(ulong prefix) => (int)(prefix >> EraShift) & EraMask;

    /// <summary>The low half of the hash.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Low(ulong prefix) => (uint)(prefix >> 32);

    /// <summary>What is known of the hash, the rest being zero: its top and its low half, each in its place.</summary>
    internal static ulong Hash(ulong prefix) => (((prefix >> TagShift) & TagMask) << HashTagShift) | Low(prefix);
}
