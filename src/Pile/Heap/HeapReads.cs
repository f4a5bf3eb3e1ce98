// Finding and reading objects: pointer to entry to record to payload, inside an epoch. No lock, no allocation, no copy.
// It does not say who may be inside: the epoch line does, and callers enter it before and leave it after.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>The read side of a heap. Thread-safe.</summary>
/// <remarks>What a lease needs lies in this one object: each load saved lets the processor overlap more leases.</remarks>
internal sealed class HeapReads<TFormat>
    where TFormat : struct, IRecordFormat
{
    private readonly HeapCore<TFormat> _core;
    private readonly WordArray _entries;
    private readonly FlatSpace _space;
    private readonly long _idWord;
    private readonly byte _tag;

    /// <summary>Slots that may be looked up; none once Dispose has begun, so that no reader has to ask for that first.</summary>
    private uint _slotsEnd;

    internal HeapReads(HeapCore<TFormat> core)
    {
        _core = core;
        _entries = core.Table.Entries;
        _space = core.Directory.Space;
        _idWord = core.Epochs.IdWord;
        _tag = core.Tag;
        _slotsEnd = core.Table.SlotsMax + 1;
    }

    /// <summary>Closes the read side: every later look fails and says Disposed.</summary>
    internal void Close() => Volatile.Write(ref _slotsEnd, 0);

    /// <summary>Finds the current record of a pointer. Inside an epoch.</summary>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="entry">The entry found, when Ok.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus Find(ulong pointer, out ulong entry)
    {
        uint slot = PointerWord.Slot(pointer);
        entry = slot < Volatile.Read(ref _slotsEnd) ? _entries.Read(slot) : 0;
        return EntryWord.Matches(entry, pointer) && PointerWord.Tag(pointer) == _tag ? PileStatus.Ok : WhyNot(pointer);
    }

    /// <summary>The payload of a found entry and its lane; valid while the epoch lasts.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadOnlySpan<byte> Payload(ulong entry, out RecordCode code)
    {
        long location = EntryWord.Location(entry);
        ulong word = _space.ReadWord(location);
        RecordCode stored = RecordWord.Code(word);
        ReadOnlySpan<byte> payload = _space.Bytes(location, TFormat.HeaderBytes, RecordWord.PayloadBytes(word));
        if (stored == RecordCode.Large)
        {
            return LargePayload(payload, out code);
        }

        code = stored;
        return payload;
    }

    /// <summary>Leases an object: on Ok the calling thread is inside the epoch until the lease is disposed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus TryLease(ulong pointer, out PileLease lease) =>
        TryLease(EpochLine.Current, pointer, out lease, out _);

    /// <summary>As <see cref="TryLease(ulong, out PileLease)"/>, and tells the entry, for a later exchange against it.</summary>
    /// <param name="line">The calling thread's line, fetched first so that the compiler can move it out of a loop.</param>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="lease">The lease, or default.</param>
    /// <param name="entry">The entry found, when Ok.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus TryLease(EpochLine line, ulong pointer, out PileLease lease, out ulong entry)
    {
        long outer = line.Enter(_idWord);
        PileStatus status = Find(pointer, out entry);
        if (status != PileStatus.Ok)
        {
            line.Leave(outer);
            lease = default;
            return status;
        }

        ReadOnlySpan<byte> payload = Payload(entry, out RecordCode code);
        lease = new PileLease(payload, line, line.BeginLease(outer), code);
        return PileStatus.Ok;
    }

    /// <summary>Pins an object's bytes beyond the epoch, on its segment or its run.</summary>
    internal PileStatus TryPin(ulong pointer, out PinTarget target)
    {
        target = default;
        EpochLine line = EpochLine.Current;
        long outer = line.Enter(_idWord);
        try
        {
            PileStatus status = Find(pointer, out ulong entry);
            if (status != PileStatus.Ok)
            {
                return status;
            }

            long location = EntryWord.Location(entry);
            ulong word = _space.ReadWord(location);
            _core.Pins.Add();
            if (RecordWord.Code(word) == RecordCode.Large)
            {
                LargeDescriptor descriptor = LargeDescriptor.Read(_space.Bytes(location, TFormat.HeaderBytes, LargeDescriptor.Bytes));
                _core.Large.Pin(descriptor.RunLocation);
                target = new PinTarget(null, descriptor.RunLocation, _space.AddressOf(descriptor.RunLocation), descriptor.PayloadBytes, descriptor.Code);
                return PileStatus.Ok;
            }

            // Counted inside the epoch in which the entry referred to the segment: the reclaimer, after that epoch, sees it.
            Segment segment = _core.Directory.At(location);
            segment.Pin();
            nint address = _space.AddressOf(location) + TFormat.HeaderBytes;
            target = new PinTarget(segment, location, address, RecordWord.PayloadBytes(word), RecordWord.Code(word));
            return PileStatus.Ok;
        }
        finally
        {
            line.Leave(outer);
        }
    }

    /// <summary>Ends a pin.</summary>
    internal void Unpin(in PinTarget target)
    {
        if (target.Segment is { } segment)
        {
            segment.Unpin();
        }
        else
        {
            _core.Large.Unpin(target.Location);
        }

        _core.Pins.Remove();
    }

    /// <summary>Asks for the entry of a pointer.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchEntry(ulong pointer)
    {
        uint slot = PointerWord.Slot(pointer);
        if (slot < Volatile.Read(ref _slotsEnd))
        {
            _entries.Prefetch(slot);
        }
    }

    /// <summary>Asks for the record of a found entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchRecord(ulong entry) => _space.PrefetchRecord(EntryWord.Location(entry));

    /// <summary>Reads one live slot for an enumeration. Inside an epoch.</summary>
    internal bool TryReadSlot(uint slot, out ulong pointer, out ulong recordWord)
    {
        ulong entry = _entries.Read(slot);
        pointer = recordWord = 0;
        if (!EntryWord.IsLive(entry))
        {
            return false;
        }

        pointer = PointerWord.Pack(slot, _tag, EntryWord.Generation(entry));
        recordWord = _space.ReadWord(EntryWord.Location(entry));
        if (RecordWord.Code(recordWord) == RecordCode.Large)
        {
            LargeDescriptor descriptor = LargeDescriptor.Read(
                _space.Bytes(EntryWord.Location(entry), TFormat.HeaderBytes, LargeDescriptor.Bytes));
            recordWord = RecordWord.Pack(slot, descriptor.Code, descriptor.PayloadBytes);
        }

        return true;
    }

    /// <summary>Asks for the record of a slot, if it is live.</summary>
    internal void PrefetchSlot(uint slot)
    {
        ulong entry = _entries.Read(slot);
        if (EntryWord.IsLive(entry))
        {
            _space.Prefetch(EntryWord.Location(entry));
        }
    }

    /// <summary>Why an entry did not match. Dispose closes the read side, so that no reader has to ask first.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PileStatus WhyNot(ulong pointer) =>
        _core.IsDisposed ? PileStatus.Disposed
        : PointerWord.Tag(pointer) != _tag ? PileStatus.WrongPile
        : PileStatus.Stale;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ReadOnlySpan<byte> LargePayload(ReadOnlySpan<byte> descriptorBytes, out RecordCode code)
    {
        LargeDescriptor descriptor = LargeDescriptor.Read(descriptorBytes);
        code = descriptor.Code;
        return _space.Bytes(descriptor.RunLocation, 0, descriptor.PayloadBytes);
    }
}
