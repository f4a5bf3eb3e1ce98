// Reads in the usual case: of a pile in memory, by a thread outside every lease, not large. What a read costs is what stands between two
// cache misses: the loads, most of all, then the registers that are written. So what it needs lies in the pile itself, it calls nothing, and
// checks tag, life, generation and place by as little as they can be checked. Every other case is HeapReads' business.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;

namespace Pile.Heap;

/// <summary>The short way of reads. Thread-safe; a field of the pile, never copied.</summary>
internal struct ReadsAtOnce
{
    /// <summary>What a line has added to it by entering, less the pile's tag in its place in a pointer: one word, one load. The tag is then a part of
    /// the step by which the line's serial grows, which stays odd, so that serials come round as late as before. Added to a pointer it leaves, below
    /// the generation, the slot and what entering adds; or with another tag a number that no slot reaches.</summary>
    internal readonly ulong Own;

    /// <summary>The table by slots with that added.</summary>
    private readonly WordArray _entries;

    /// <summary>The flat space by locations with the entry's live bit.</summary>
    private readonly FlatSpace _space;

    /// <summary>Where they end: at the first in files, and once Dispose has begun, so that no reader has to ask for that first.</summary>
    private ulong _slotsEnd;

    internal ReadsAtOnce(HeapBase core)
    {
        ulong entering = (ulong)core.Epochs.IdWord;
        Own = entering - ((ulong)core.Tag << PointerWord.TagShift);
        _entries = core.Table.Entries.Behind((long)entering);
        _space = core.Directory.Space.Behind((long)EntryWord.LiveBit);
        _slotsEnd = core.Log.IsDurable ? 0 : entering + (ulong)core.Table.End;
    }

    /// <summary>Closes this way: every later look fails.</summary>
    internal void Close() => Volatile.Write(ref _slotsEnd, 0);

    /// <summary>Leases an object.</summary>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="own"><see cref="Own"/>, read by the caller: so it is known that the pile is there before anything else is done.</param>
    /// <param name="lease">The lease, or default.</param>
    /// <returns>False in every other case, whatever it is: <see cref="HeapReads.TryLease(ulong, out PileLease)"/> finds out.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly bool TryLease(ulong pointer, ulong own, out PileLease lease)
    {
        if (EpochLine.TryCurrent(out EpochLine line) && line.IsOutside(out long word))
        {
            long held = word + (long)own;
            line.EnterAs(held);
            if (TryFind(pointer, own, out ulong found))
            {
                ref readonly byte first = ref _space.ByteAt((long)found, MemoryRecord.HeaderBytes);
                uint payload = RecordWord.Payload(FlatSpace.UpperHalfBefore(in first));
                if (RecordWord.IsBelow(payload, RecordCode.Large))
                {
                    lease = new PileLease(in first, payload, line, held);
                    return true;
                }
            }

            line.LeaveOutermost(held);
        }

        lease = default;
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
            uint payload = RecordWord.Payload(FlatSpace.UpperHalfBefore(in first));
            if (RecordWord.IsBelow(payload, RecordCode.Large))
            {
                bytes = RawValue.Span(in first, RecordWord.PayloadBytes(payload));
                return true;
            }
        }

        bytes = default;
        return false;
    }

    /// <summary>Finds the location of a pointer's record, with the live bit.</summary>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="own">As for <see cref="TryLease"/>.</param>
    /// <param name="found">The location, if true.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private readonly bool TryFind(ulong pointer, ulong own, out ulong found)
    {
        ulong sum = pointer + own;
        ulong slot = PointerWord.SlotAndTag(sum);
        if (slot < Volatile.Read(in _slotsEnd))
        {
            // The rest is the generation, in place. Of the last slots there could ever be, with the tag before the pile's, nothing is left of the tag either:
            // they lead to words before the table, which are zero.
            found = _entries.Read(slot) - (sum - slot);
            return EntryWord.IsLiveLocation(found);
        }

        found = 0;
        return false;
    }
}
