// Reads in the usual case: of a pile in memory, by a thread outside every lease, not large. What a read costs is what stands between two
// cache misses: the operations that wait for one most of all, then the loads. So what it needs lies in the pile itself, it calls nothing, and
// checks tag, life, generation and place by as little as they can be checked. Every other case is HeapReads' business.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>The short way of reads. Thread-safe; a field of the pile, never copied.</summary>
internal struct ReadsAtOnce
{
    /// <summary>The pile's tag, turned as <see cref="PointerWord.TurnedTag"/> says, and below it what a line has added to it by entering: one word, one load. The tag
    /// is then a part of the step by which the line's serial grows, which stays odd, so that serials come round as late as before.</summary>
    internal readonly ulong Own;

    private readonly WordArray _entries;
    private readonly FlatSpace _space;

    /// <summary>Slots that may be looked up; none in files, and none once Dispose has begun, so that no reader has to ask for that first.</summary>
    private ulong _slotsEnd;

    /// <summary>What locations are below. Kept here, because a comparison with it is one operation, and with a constant of its length two.</summary>
    private readonly ulong _locationsEnd = EntryWord.LiveBit;

    internal ReadsAtOnce(HeapBase core)
    {
        Own = PointerWord.TurnedTag(core.Tag) | (ulong)core.Epochs.IdWord;
        _entries = core.Table.Entries;
        _space = core.Directory.Space;
        _slotsEnd = core.Log.IsDurable ? 0 : (ulong)long.Max(core.Table.End, Limits.FirstSlot);
    }

    /// <summary>Closes this way: every later look fails.</summary>
    internal void Close() => Volatile.Write(ref _slotsEnd, 0);

    /// <summary>Leases an object.</summary>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="own"><see cref="Own"/>, read by the caller: so it is known that the pile is there before anything else is done.</param>
    /// <param name="lease">The lease; of no use when false.</param>
    /// <returns>False in every other case, whatever it is: <see cref="HeapReads.TryLease(ulong, out PileLease)"/> finds out.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool TryLease(ulong pointer, ulong own, out PileLease lease)
    {
        lease = default;
        if (lease.TryBegin((long)own))
        {
            if (TryFind(pointer, own, out ulong found) && lease.TryShow(_space, (long)found))
            {
                return true;
            }

            lease.Abandon();
        }

        return false;
    }

    /// <summary>Reads an object. Inside an epoch.</summary>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="own">As for <see cref="TryLease"/>.</param>
    /// <param name="bytes">The payload; empty when false.</param>
    /// <returns>False in every other case, whatever it is: <see cref="HeapReads.TryFind"/> and <see cref="HeapReads.TryPayload"/> find out.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool TryRead(ulong pointer, ulong own, out ReadOnlySpan<byte> bytes)
    {
        if (TryFind(pointer, own, out ulong found))
        {
            ref readonly byte first = ref _space.ByteAt((long)found, MemoryRecord.HeaderBytes);
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

    /// <summary>Finds the location of a pointer's record.</summary>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="own">As for <see cref="TryLease"/>.</param>
    /// <param name="found">The location, if true.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool TryFind(ulong pointer, ulong own, out ulong found)
    {
        ulong slot = PointerWord.Slot(pointer);
        ulong upper = (pointer ^ own) >> PointerWord.TagShift;
        if (PointerWord.HadTag(upper) && slot < Volatile.Read(in _slotsEnd))
        {
            // All that can be done without the entry is done before it: two operations wait for it, and the address. An entry less a generation over a live bit
            // is a location when it is live and of that generation.
            found = _entries.Read(slot) - (upper << PointerWord.TagShift);
            return found < _locationsEnd;
        }

        found = 0;
        return false;
    }
}
