// The time of last use of a sliding entry in a file: ticks since the entry was made 52 | check 12, so that later times are greater
// words. It stands outside the record's checksum, because it is raised in place; a word whose check is wrong says nothing, and the entry
// counts as never used until the next use. In memory piles the word is the plain time.
using System.Runtime.CompilerServices;
using Pile.Cache.Engine;
using Pile.Format;
using Pile.Memory;

namespace Pile.Cache.Entries;

/// <summary>Packing and reading of times of use.</summary>
internal static class TouchWord
{
    private const int CheckBits = 12;
    private const ulong SpanMax = (1UL << (64 - CheckBits)) - 1;

    /// <summary>The word that says a time of use.</summary>
    /// <param name="ticks">The time, in ticks of UTC.</param>
    /// <param name="createdMs">When the entry was made, in milliseconds since 1970, as its head says.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Pack<TFormat>(long ticks, long createdMs)
        where TFormat : struct, IRecordFormat => TFormat.IsDurable ? Sealed(ticks, createdMs) : (ulong)ticks;

    /// <summary>The time that a word says, in ticks of UTC.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long Ticks<TFormat>(ulong word, long createdMs)
        where TFormat : struct, IRecordFormat => TFormat.IsDurable ? Opened(word, createdMs) : (long)word;

    /// <summary>Raises the word at a location, unless a later time stands there; a full fence. A word that says nothing, however large, is no later time.</summary>
    /// <remarks>Any thread raises; a lost race is tried again, so that the latest stays.</remarks>
    internal static void Raise<TFormat>(FlatSpace space, long location, ulong word)
        where TFormat : struct, IRecordFormat
    {
        ulong seen = space.ReadWord(location);
        while (space.SwapWord(location, seen, IsRaised<TFormat>(seen, word) ? word : seen) is var found && found != seen)
        {
            seen = found;
        }
    }

    private static bool IsRaised<TFormat>(ulong seen, ulong word)
        where TFormat : struct, IRecordFormat => TFormat.IsDurable ? IsWhole(word) && (word > seen || !IsWhole(seen)) : word > seen;

    private static bool IsWhole(ulong word) => (word & ((1UL << CheckBits) - 1)) == CheckOf(word >> CheckBits);

    private static ulong Sealed(long ticks, long createdMs)
    {
        long span = ticks - CacheClock.ToTicks(createdMs);
        ulong stored = span < 0 ? 0 : ulong.Min((ulong)span, SpanMax);
        return (stored << CheckBits) | CheckOf(stored);
    }

    private static long Opened(ulong word, long createdMs)
    {
        ulong stored = word >> CheckBits;
        long created = CacheClock.ToTicks(createdMs);
        return IsWhole(word) ? created + (long)stored : created;
    }

    private static ulong CheckOf(ulong span) => ((span + 1) * 0x9E37_79B9_7F4A_7C15) >> (64 - CheckBits);
}
