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
/// <remarks>It is for piles whose table and flat space are one reservation (<see cref="ExtentMap.Table"/>), which takes an operating system that reserves memory
/// for nothing.</remarks>
internal struct ReadsAtOnce
{
    // What stands at location 0, where a free entry may lead: a record with its payload elsewhere, so that who comes there asks further.
    private const ulong NoRecord = (ulong)RecordWord.Elsewhere << RecordWord.CodeShift;

    /// <summary>What is added to a thread's line by entering, as for <see cref="Epochs.EpochLine.TryEnter"/>.</summary>
    private readonly long _idWord;

    /// <summary>The pile's tag, as <see cref="PointerWord.NearTag"/> says.</summary>
    private readonly ulong _nearTag;

    /// <summary>Where the table begins, with the flat space on both sides: one address for both, one load. <see cref="ObjectTable.Nothing"/> where the two are apart,
    /// and once Dispose has begun, so that no reader has to ask for that first.</summary>
    private nint _start;

    /// <summary>What places are above, in words from the table's beginning, of records that lie before it: those that <see cref="TryFind"/> checks by one comparison.
    /// Nothing is, once there may be records behind it. Kept here, because a comparison with it is one operation, and with a constant of its length two.</summary>
    private ulong _nearAbove;

    internal ReadsAtOnce(HeapBase core)
    {
        bool isOne = core.Extents.Table.Bytes > 0;
        _idWord = core.Epochs.IdWord;
        _nearTag = PointerWord.NearTag(core.Tag);
        _start = isOne ? core.Extents.Table.Address : ObjectTable.Nothing;
        _nearAbove = ulong.MaxValue;
        if (isOne)
        {
            _nearAbove -= Limits.TableWordsWhole;
            core.Extents.Space.WriteWord(0, NoRecord);
        }
    }

    /// <summary>Closes this way: every later look fails.</summary>
    internal void Close()
    {
        // First: before the table that nobody stores into there is no flat space, and a forged pointer must not lead there.
        EndNear();
        Volatile.Write(ref _start, ObjectTable.Nothing);
    }

    /// <summary>Says that there may be records behind the table from now on.</summary>
    internal void EndNear() => Volatile.Write(ref _nearAbove, ulong.MaxValue);

    /// <summary>Leases an object.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="lease">The lease; of no use when false.</param>
    /// <returns>False in every other case, whatever it is: <see cref="HeapReads.TryLease(ulong, out PileLease)"/> finds out.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryLease(ObjectPile pile, ulong pointer, out PileLease lease)
    {
        lease = default;
        long idWord = pile.ReadsAtOnce._idWord;
        if (ObjectTable.Nothing != 0 && lease.TryBegin(idWord))
        {
            nint start = Volatile.Read(in pile.ReadsAtOnce._start);
            if (TryFind(pile, start, pointer, out ulong place) && lease.TryShow(new FlatSpace(start, 0), (long)place))
            {
                return true;
            }

            lease.Abandon();
        }

        return false;
    }

    /// <summary>Leases an object for a read by another name, by which its errors call it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static PileLease Lease(ObjectPile pile, PilePointer pointer, string operation)
    {
        if (!TryLease(pile, pointer.Word, out PileLease lease))
        {
            PileLease found = PileLease.Take(pile.Reads, pointer, operation); // As ObjectPile.Lease does.
            lease = new PileLease(found);
        }

        return lease;
    }

    /// <summary>Reads an object. Inside an epoch.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="bytes">The payload; empty when false.</param>
    /// <returns>False in every other case, whatever it is: <see cref="HeapReads.TryFind"/> and <see cref="HeapReads.TryPayload"/> find out.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryRead(ObjectPile pile, ulong pointer, out ReadOnlySpan<byte> bytes)
    {
        nint start = Volatile.Read(in pile.ReadsAtOnce._start);
        if (ObjectTable.Nothing != 0 && TryFind(pile, start, pointer, out ulong place))
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
    /// <param name="pile">The pile.</param>
    /// <param name="start">Where the table begins.</param>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="place">The place, in words from <paramref name="start"/>.</param>
    /// <returns>Whether the entry is live, of the pointer's generation, and the pointer of this pile; or the entry is free, and the place that of
    /// <see cref="NoRecord"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool TryFind(ObjectPile pile, nint start, ulong pointer, out ulong place)
    {
        // All that can be done without the entry is done before it: two operations wait for it, and the address. Of a live entry and its own pointer the location
        // is left, of any other two a multiple of 2^32 besides: a tag counts one of those, the live bit 2^7, a generation 2^8, and the sum is never 0. Locations
        // before the table are below 2^32, so that one comparison tells. It takes for good an entry that is not live, with a pointer of the opposite tag: a free one's
        // location is 0 (NoRecord), and one of the pile's own matches what no pile gives (EntryWord.Internal). No slot is beyond the table.
        ulong slot = PointerWord.Slot(pointer);
        place = pile.ReadsAtOnce._nearTag + slot - pointer + new WordArray(start).Read(slot);

        // Acquire, by the entry's: who sees one that leads behind the table sees that there is such a thing.
        return place > pile.ReadsAtOnce._nearAbove || IsFar(pile, pointer, place);
    }

    /// <summary>The same, of a place that may lie behind the table as well.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsFar(ObjectPile pile, ulong pointer, ulong place) =>
        PointerWord.HasTag(pointer, pile.ReadsAtOnce._nearTag) && place + Limits.TableWordsWhole < EntryWord.LiveBit;
}
