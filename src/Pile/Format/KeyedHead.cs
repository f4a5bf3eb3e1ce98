// The head of a keyed record's payload, before its key and its value: who it belongs to, when it was made, how long it counts.
// A, low to high: table 24 | key bytes 14 | lane 4 | priority 2 | expires 1 | slides 1 | linked 1 | noted 1 | version, high part 16
// B: version, low part 22 | created 42, in milliseconds since 1970. Then, as A says: expiry 8, in ticks of UTC; sliding span 8, in
// ticks; touched 8, in ticks of UTC; note 16 (NoteWord). Then the key, then the value: bytes of the lane, or pointer 8 and length 4 of
// an object; of lane 7 one that entries share, whose lane its own record says. Last the hashes of tags, 8 each, as the note says.
using System.Runtime.CompilerServices;

namespace Pile.Format;

/// <summary>Packing and reading of the two head words.</summary>
internal static class KeyedHead
{
    internal const int TableMax = (1 << 24) - 1;
    internal const int KeyBytesMax = (1 << 14) - 1;
    internal const int WordsBytes = 16;
    internal const int ExpiryBytes = 8;
    internal const int SlidingBytes = 16;
    internal const int LinkBytes = 12;
    internal const int NoteBytes = 16;
    internal const int TagBytes = 8;
    internal const ulong VersionMask = (1UL << 38) - 1;
    internal const long CreatedMsMax = (1L << 42) - 1;
    internal const ulong TableMask = TableMax;
    internal const ulong OwnerMask = (1UL << 38) - 1;
    internal const ulong ExpiresBit = 1UL << 44;
    internal const ulong SlidesBit = 1UL << 45;
    internal const ulong LinkedBit = 1UL << 46;
    internal const ulong NotedBit = 1UL << 47;
    private const int KeyShift = 24;
    private const int LaneShift = 38;
    private const int PriorityShift = 42;
    private const int VersionHighShift = 48;
    private const int VersionLowBits = 22;
    private const ulong VersionLowMask = (1UL << VersionLowBits) - 1;

    /// <summary>Table and key bytes, as they stand in A under <see cref="OwnerMask"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong Owner(int table, int keyBytes) => (uint)table | ((ulong)(uint)keyBytes << KeyShift);

    /// <summary>Word A.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong A(ulong owner, RecordCode lane, int priority, ulong flags, ulong version) =>
        owner | ((ulong)lane << LaneShift) | ((ulong)(uint)priority << PriorityShift) | flags | (version >> VersionLowBits << VersionHighShift);

    /// <summary>Word B.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong B(ulong version, long createdMs) => (version & VersionLowMask) | ((ulong)createdMs << VersionLowBits);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Table(ulong a) => (int)(a & TableMask);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int KeyBytes(ulong a) => (int)((a >> KeyShift) & KeyBytesMax);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static RecordCode Lane(ulong a) => (RecordCode)((a >> LaneShift) & 15);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Priority(ulong a) => (int)((a >> PriorityShift) & 3);

    /// <summary>Whether the entry may be one that is not shown: it ends some time, or has a note.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsTimed(ulong a) => (a & (ExpiresBit | SlidesBit | NotedBit)) != 0;

    /// <summary>Whether the entry leads to an object that it may share with others.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsShared(ulong a) => (a & LinkedBit) != 0 && Lane(a) == RecordCode.Large;

    /// <summary>Whether the entry is shown as it stands: it has no end, no note and no object of its own.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsPlain(ulong a) => (a & (ExpiresBit | SlidesBit | LinkedBit | NotedBit)) == 0;

    /// <summary>The version, of 38 bits.</summary>
    internal static ulong Version(ulong a, ulong b) => (a >> VersionHighShift << VersionLowBits) | (b & VersionLowMask);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static long CreatedMs(ulong b) => (long)(b >> VersionLowBits);

    /// <summary>Bytes from the payload's first to the key's. A note takes as many as what slides: one multiplication for both.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int KeyOffset(ulong a) =>
        WordsBytes + (int)((a & ExpiresBit) >> 44) * ExpiryBytes + ((int)((a & SlidesBit) >> 45) + (int)((a & NotedBit) >> 47)) * SlidingBytes;

    /// <summary>Bytes from the payload's first to the note.</summary>
    internal static int NoteOffset(ulong a) => KeyOffset(a) - NoteBytes;

    /// <summary>Bytes from the payload's first to the sliding span.</summary>
    internal static int SlidingOffset(ulong a) => WordsBytes + (int)((a & ExpiresBit) >> 44) * ExpiryBytes;
}
