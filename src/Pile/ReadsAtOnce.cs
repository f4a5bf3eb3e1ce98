// Reads in the usual case: of a pile in memory, by a thread outside every lease, not large. What a read costs is what stands between two
// cache misses: the operations that wait for one most of all, then the loads. So what it needs lies in the pile itself, it calls nothing, and
// checks tag, life, generation and place by as little as they can be checked. Every other case is HeapReads' business.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Table;

namespace Pile;

/// <summary>The short way of reads. Thread-safe; a field of the pile, never copied. Its members are static and reach a pile's fields from the pile
/// one by one: the address of this field in between would be an operation of its own.</summary>
/// <remarks>It is for piles whose table and flat space are one reservation (<see cref="ExtentMap.Front"/>), which takes an operating system that reserves memory
/// for nothing.</remarks>
internal struct ReadsAtOnce
{
    /// <summary>The pile's tag, turned as <see cref="PointerWord.FrontTag"/> says, and below it what a line has added to it by entering: one word, one load. The tag
    /// is then a part of the step by which the line's serial grows, which stays odd, so that serials come round as late as before.</summary>
    private readonly ulong _own;

    /// <summary>What places are below, in words from the table's beginning. Kept here, because a comparison with it is one operation, and with a constant of its
    /// length two.</summary>
    private readonly ulong _end = EntryWord.LiveBit + Limits.TableWordsWhole;

    /// <summary>Where the table begins, with the flat space behind it: one address for both, one load. <see cref="ObjectTable.Nothing"/> where the two are apart, and once
    /// Dispose has begun, so that no reader has to ask for that first.</summary>
    private nint _start;

    internal ReadsAtOnce(HeapBase core)
    {
        _own = PointerWord.FrontTag(core.Tag) | (ulong)core.Epochs.IdWord;
        _start = core.Extents.Front.Bytes > 0 ? core.Extents.Front.Address : ObjectTable.Nothing;
    }

    /// <summary>Closes this way: every later look fails.</summary>
    internal void Close() => Volatile.Write(ref _start, ObjectTable.Nothing);

    /// <summary>Leases an object.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="lease">The lease; of no use when false.</param>
    /// <returns>False in every other case, whatever it is: <see cref="HeapReads.TryLease(ulong, out PileLease)"/> finds out.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryLease(ObjectPile pile, ulong pointer, out PileLease lease)
    {
        lease = default;
        ulong own = pile.ReadsAtOnce._own;
        if (ObjectTable.Nothing != 0 && lease.TryBegin((long)own))
        {
            nint start = Volatile.Read(in pile.ReadsAtOnce._start);
            if (TryFind(start, pointer, own, out ulong place) && place < pile.ReadsAtOnce._end && lease.TryShow(new FlatSpace(start, 0), (long)place))
            {
                return true;
            }

            lease.Abandon();
        }

        return false;
    }

    /// <summary>Reads an object. Inside an epoch.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="bytes">The payload; empty when false.</param>
    /// <returns>False in every other case, whatever it is: <see cref="HeapReads.TryFind"/> and <see cref="HeapReads.TryPayload"/> find out.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryRead(ObjectPile pile, ulong pointer, out ReadOnlySpan<byte> bytes)
    {
        ulong own = pile.ReadsAtOnce._own;
        nint start = Volatile.Read(in pile.ReadsAtOnce._start);
        if (ObjectTable.Nothing != 0 && TryFind(start, pointer, own, out ulong place) && place < pile.ReadsAtOnce._end)
        {
            ref readonly byte first = ref new FlatSpace(start, 0).ByteAt((long)place, MemoryRecord.HeaderBytes);
            uint payload = FlatSpace.UpperHalfBefore(in first);
            if (RecordWord.IsInPlace(payload))
            {
                bytes = RawValue.Span(in first, RecordWord.PayloadBytes(payload));
                return true;
            }
        }

        bytes = default;
        return false;
    }

    /// <summary>Finds the place of a pointer's record.</summary>
    /// <param name="start">Where the table begins.</param>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="own"><see cref="_own"/>.</param>
    /// <param name="place">The place, in words from <paramref name="start"/>; <see cref="_end"/> or more when the entry is free, or of another generation.</param>
    /// <returns>Whether the pointer has the pile's tag.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryFind(nint start, ulong pointer, ulong own, out ulong place)
    {
        ulong upper = (pointer ^ own) >> PointerWord.TagShift;
        if (PointerWord.HadTag(upper))
        {
            // All that can be done without the entry is done before it: two operations wait for it, and the address. An entry less a generation over a live bit
            // is a location, and less so much without the words of the table it is the distance from the table's beginning. No slot is beyond the table.
            place = new WordArray(start).Read((ulong)PointerWord.Slot(pointer)) - (upper << PointerWord.TagShift);
            return true;
        }

        place = 0;
        return false;
    }
}
