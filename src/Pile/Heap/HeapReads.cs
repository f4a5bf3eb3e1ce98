// Finding and reading objects: pointer to entry to record to payload, inside an epoch. No lock, no allocation, no copy.
// It does not say who may be inside: the epoch line does, and callers enter it before and leave it after.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>The read side of a heap. Thread-safe.</summary>
/// <remarks>The usual case of a pile in memory has a shorter way, <see cref="ReadsAtOnce"/>.</remarks>
internal sealed class HeapReads
{
    private readonly HeapBase _core;
    private readonly WordArray _entries;
    private readonly FlatSpace _space;
    private readonly long _idWord;
    private readonly ulong _tagWord;
    private readonly int _headerBytes;
    private readonly FirstTouch? _touch;

    /// <summary>Slots that may be looked up in memory; none once Dispose has begun, so that no reader has to ask for that first, and
    /// none in files, so that readers of memory have nothing to ask about files.</summary>
    private ulong _slotsEnd;

    /// <summary>Slots that may be looked up in files; none once Dispose has begun.</summary>
    private ulong _filesEnd;

    internal HeapReads(HeapBase core)
    {
        _core = core;
        _entries = core.Table.Entries;
        _space = core.Directory.Space;
        _idWord = core.Epochs.IdWord;
        _tagWord = (ulong)core.Tag << PointerWord.TagShift;
        _headerBytes = core.HeaderBytes;
        _touch = core.Touch;
        ulong end = (ulong)long.Max(core.Table.End, Limits.FirstSlot);
        _slotsEnd = core.Log.IsDurable ? 0 : end;
        _filesEnd = core.Log.IsDurable ? end : 0;
        core.Table.Grown = core.Log.IsDurable ? RaiseEnd : static _ => { };
    }

    /// <summary>Closes the read side: every later look fails and says Disposed.</summary>
    internal void Close()
    {
        Volatile.Write(ref _slotsEnd, 0);
        Interlocked.Exchange(ref _filesEnd, 0);
    }

    /// <summary>Finds the current record of a pointer. Inside an epoch.</summary>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="entry">The entry found, when true.</param>
    /// <returns>False when there is none; <see cref="WhyNot"/> tells the reason.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryFind(ulong pointer, out ulong entry)
    {
        ulong slot = PointerWord.SlotUnder(pointer, _tagWord);
        entry = slot < Volatile.Read(ref _slotsEnd) ? _entries.Read(slot) : EntryInFiles(slot, pointer);
        return EntryWord.Matches(entry, pointer);
    }

    /// <summary>Why <see cref="TryFind"/> found nothing. Dispose closes the read side, so that no reader has to ask first.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PileStatus WhyNot(ulong pointer) =>
        _core.IsDisposed ? PileStatus.Disposed
        : PointerWord.Tag(pointer) != _core.Tag ? PileStatus.WrongPile
        : _touch is { IsLost: true } ? PileStatus.Poisoned
        : _touch is not null && IsCorrupted(PointerWord.Slot(pointer), pointer) ? PileStatus.Corrupted
        : PileStatus.Stale;

    /// <summary>Throws why a read failed: with the failure of the files, where that is why.</summary>
    [DoesNotReturn]
    internal void Fail(PileStatus status, PilePointer pointer, string operation)
    {
        _core.ThrowIfPoisoned(status);
        Throw.Failed(status, pointer, operation);
    }

    /// <summary>Whether a read or a scrub has found that the object is damaged. It costs no look at the object itself; inside an epoch.</summary>
    internal bool IsKnownDamaged(ulong pointer) =>
        _touch is { } touch && PointerWord.Tag(pointer) == _core.Tag && PointerWord.Slot(pointer) is var slot && slot < _core.Slots.HighWater
        && _core.Table.ReadAny(slot) is var entry && EntryWord.Matches(entry, pointer) && touch.IsKnownBad(slot, entry);

    /// <summary>The payload of a found entry and its lane; valid while the epoch lasts.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadOnlySpan<byte> Payload(ulong entry, out RecordCode code)
    {
        long location = EntryWord.Location(entry);
        FlatSpace space = _space;
        uint payload = RecordWord.Payload(space.ReadWord(location));
        if (RecordWord.Code(payload) == RecordCode.Large)
        {
            // Two calls that each return a register, so that no local of the caller needs an address.
            payload = LargePayload(location);
            location = LargeLocation(location);
        }

        code = RecordWord.Code(payload);
        return space.Bytes(location, _headerBytes, RecordWord.PayloadBytes(payload));
    }

    /// <summary>As <see cref="Payload"/>, for a caller with a pointer: not of what is a cache's.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryPayload(ulong entry, out ReadOnlySpan<byte> bytes)
    {
        long location = EntryWord.Location(entry);
        FlatSpace space = _space;
        uint payload = RecordWord.Payload(space.ReadWord(location));
        if (RecordWord.Code(payload) >= RecordCode.Large)
        {
            if (IsOfCache(location, payload))
            {
                bytes = default;
                return false;
            }

            bytes = Payload(entry, out _);
            return true;
        }

        bytes = space.Bytes(location, _headerBytes, RecordWord.PayloadBytes(payload));
        return true;
    }

    /// <summary>Leases an object: on Ok the calling thread is inside the epoch until the lease is disposed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus TryLease(ulong pointer, out PileLease lease) =>
        TryLease(EpochLine.Current, pointer, out lease, out _) ? PileStatus.Ok : WhyNot(pointer);

    /// <summary>As <see cref="TryLease(ulong, out PileLease)"/>, and tells the entry, for a later exchange against it.</summary>
    /// <param name="line">The calling thread's line.</param>
    /// <param name="pointer">The pointer's 64 bits.</param>
    /// <param name="lease">The lease, or default.</param>
    /// <param name="entry">The entry found, when true.</param>
    /// <returns>False when there is no such object; <see cref="WhyNot"/> tells the reason.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryLease(EpochLine line, ulong pointer, out PileLease lease, out ulong entry)
    {
        long held = line.BeginLease(_idWord);
        ulong slot = PointerWord.SlotUnder(pointer, _tagWord);
        entry = slot < Volatile.Read(ref _slotsEnd) ? _entries.Read(slot) : EntryInFiles(slot, pointer, line, held);
        if (!EntryWord.Matches(entry, pointer))
        {
            EpochLine.EndLease(line.Place, held);
            lease = default;
            return false;
        }

        long location = EntryWord.Location(entry);
        FlatSpace space = _space;
        uint payload = RecordWord.Payload(space.ReadWord(location));
        if (RecordWord.Code(payload) >= RecordCode.Large)
        {
            if (IsOfCache(location, payload))
            {
                EpochLine.EndLease(line.Place, held);
                lease = default;
                return false;
            }

            if (RecordWord.Code(payload) == RecordCode.Large)
            {
                payload = LargePayload(location);
                location = LargeLocation(location);
            }
        }

        lease = new PileLease(in space.ByteAt(location, _headerBytes), payload, line, held);
        return true;
    }

    /// <summary>Pins an object's bytes beyond the epoch, on its segment or its run.</summary>
    internal PileStatus TryPin(ulong pointer, out PinTarget target)
    {
        target = default;
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_idWord);
        try
        {
            if (!TryFind(pointer, out ulong entry))
            {
                return WhyNot(pointer);
            }

            long location = EntryWord.Location(entry);
            ulong word = _space.ReadWord(location);
            if (IsOfCache(location, RecordWord.Payload(word)))
            {
                return PileStatus.Stale;
            }

            if (RecordWord.Code(word) == RecordCode.Large)
            {
                LargeDescriptor descriptor = Descriptor(location);
                _core.Large.Pin(descriptor.RunLocation);
                _core.Pins.Add();
                target = new PinTarget(null, descriptor.RunLocation, _space.AddressOf(descriptor.RunLocation), descriptor.PayloadBytes, descriptor.Code);
                return PileStatus.Ok;
            }

            // Counted inside the epoch in which the entry referred to the segment: the reclaimer, after that epoch, sees it.
            Segment segment = _core.Directory.At(location);
            segment.Pin();
            _core.Pins.Add();
            nint address = _space.AddressOf(location) + _headerBytes;
            target = new PinTarget(segment, location, address, RecordWord.PayloadBytes(word), RecordWord.Code(word));
            return PileStatus.Ok;
        }
        finally
        {
            line.Leave(held);
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
        ulong slot = PointerWord.SlotUnder(pointer, _tagWord);
        if (slot < Volatile.Read(ref _slotsEnd) || slot < Volatile.Read(ref _filesEnd))
        {
            _entries.Prefetch((uint)slot);
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
        if (!EntryWord.IsLive(entry) || (_touch is not null && !_touch.IsGood(slot, entry)))
        {
            return false;
        }

        pointer = PointerWord.Pack(slot, _core.Tag, EntryWord.Generation(entry));
        recordWord = _space.ReadWord(EntryWord.Location(entry));
        if (IsOfCache(EntryWord.Location(entry), RecordWord.Payload(recordWord)))
        {
            return false;
        }

        if (RecordWord.Code(recordWord) == RecordCode.Large)
        {
            LargeDescriptor descriptor = Descriptor(EntryWord.Location(entry));
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

    /// <summary>Whether a record is a cache's; in memory a cache's large values are objects like any.</summary>
    private bool IsOfCache(long location, uint payload) => _touch is not null && ExtendedKinds.IsOfCache(_space, _headerBytes, location, payload);

    /// <summary>Lets readers look at more slots, unless the side was closed.</summary>
    private void RaiseEnd(long end)
    {
        ulong before = Volatile.Read(ref _filesEnd);
        while (before != 0 && Interlocked.CompareExchange(ref _filesEnd, (ulong)end, before) is var seen && seen != before)
        {
            before = seen;
        }
    }

    /// <summary>The entry of a slot in files, if it is the pointer's and its record is good; else 0. It returns a register, so that no
    /// local of the caller needs an address.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ulong EntryInFiles(ulong slot, ulong pointer)
    {
        ulong entry = slot < Volatile.Read(ref _filesEnd) ? _entries.Read(slot) : 0;
        return EntryWord.Matches(entry, pointer) && _touch!.IsGood(slot, entry) ? entry : 0;
    }

    /// <summary>The same under a lease, which ends where the look throws: damage is noted where it is met, and that takes memory.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ulong EntryInFiles(ulong slot, ulong pointer, EpochLine line, long lease)
    {
        try
        {
            return EntryInFiles(slot, pointer);
        }
        catch
        {
            EpochLine.EndLease(line.Place, lease);
            throw;
        }
    }

    /// <summary>Whether nothing was found because of damage: the entry is the pointer's and leads to nothing good, or it can't be
    /// believed to be what it was.</summary>
    private bool IsCorrupted(uint slot, ulong pointer)
    {
        // Inside an epoch, so that no record goes while it is looked at.
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_core.Epochs.IdWord);
        try
        {
            if (_core.IsDisposed)
            {
                return false;
            }

            ulong entry = _core.Table.ReadAny(slot);
            return EntryWord.Matches(entry, pointer)
                ? !_touch!.IsGood(slot, entry) || !IsOfCache(EntryWord.Location(entry), RecordWord.Payload(_space.ReadWord(EntryWord.Location(entry))))
                : !_touch!.HasGoodEntry(slot, entry);
        }
        finally
        {
            line.Leave(held);
        }
    }

    /// <summary>What the record word would say of a large object, were its payload in the log.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private uint LargePayload(long location)
    {
        LargeDescriptor descriptor = Descriptor(location);
        return RecordWord.Payload(RecordWord.Pack(slot: 0, descriptor.Code, descriptor.PayloadBytes));
    }

    /// <summary>Where a header would stand before the large object's payload.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private long LargeLocation(long location) => Descriptor(location).RunLocation - (_headerBytes / Limits.WordBytes);

    private LargeDescriptor Descriptor(long location) =>
        LargeDescriptor.Read(_space.Bytes(location, _headerBytes, LargeDescriptor.Bytes));
}
