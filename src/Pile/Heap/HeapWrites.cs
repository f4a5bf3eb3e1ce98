// Put and Update. Each holds an epoch pin and a writer from the first look at the entry until the counts are made
// (W3), so that the cleaner's sums are final once the epoch has passed and Clear can exclude everyone by holding all writers.
// In files an update holds its slot's stripe as well (W2), taken before all else; a Put owns its slot and needs none.
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>The write side of a heap. Thread-safe.</summary>
internal sealed class HeapWrites<TFormat>(HeapCore<TFormat> core)
    where TFormat : struct, IRecordFormat
{
    private readonly HeapCore<TFormat> _core = core;
    private readonly long _writeWord = core.Epochs.WriteWord;
    private readonly WordArray _entries = core.Table.Entries;
    private readonly WriterSet<TFormat> _writers = core.Writers;
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly int _largePayloadBytesMin = core.LargePayloadBytesMin;
    private readonly HeapEntries<TFormat> _checked = core.CheckedEntries;
    private readonly HeapRoom<TFormat> _room = core.RoomForWrites;
    private readonly HeapRuns<TFormat> _runs = new(core);
    private readonly HeapDeletes<TFormat> _deletes = new(core);
    private readonly ulong _turnedTag = PointerWord.TurnedTag(core.Tag);

    /// <summary>The writers that the short way of Put may use: all, and none once that is closed.</summary>
    private readonly SegmentWriter<TFormat>?[] _noWriters = []; // Made beforehand: a close comes when there may be no memory.
    private SegmentWriter<TFormat>?[] _openWriters = core.Writers.All;

    /// <summary>Closes the short way of Put: every later call looks at the heap's refusal.</summary>
    internal void Close() => Volatile.Write(ref _openWriters, _noWriters);

    /// <summary>Replaces an object while what the caller has seen still stands.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="code">The lane of the new payload.</param>
    /// <param name="payload">The new payload.</param>
    /// <param name="expected">What must still stand, or default for any entry of the pointer's generation.</param>
    /// <param name="attempt">The caller's memory of its attempts to find room. It outlives a Conflict: the cleaning that one
    /// attempt asks for may itself move the object, and a caller that forgot would ask again for ever.</param>
    /// <returns>Ok, Stale, WrongPile, Disposed, Full, or Conflict when another entry stands; of files also Corrupted, VersionsExhausted, Poisoned or ReadOnly.</returns>
    internal PileStatus TryUpdate<TPayload>(ulong pointer, RecordCode code, TPayload payload, SeenEntry expected, ref RoomAttempt attempt)
        where TPayload : struct, IPayload, allows ref struct
    {
        if (payload.Bytes < _largePayloadBytesMin)
        {
            return TryUpdateRecord(pointer, code, payload, expected, ref attempt);
        }

        // Asked first, so that a stale pointer takes no pages and is not answered Full.
        PileStatus status = _checked.Ask(pointer, expected);
        DescriptorPayload descriptor = default;
        status = status == PileStatus.Ok ? _runs.TryTake(code, payload, ref attempt, out descriptor) : status;
        if (status != PileStatus.Ok)
        {
            return status;
        }

        attempt.IsRunUsed = false;
        try
        {
            status = TryUpdateRecord(pointer, RecordCode.Large, descriptor, expected, ref attempt);
        }
        catch
        {
            _runs.Drop(attempt, descriptor);
            throw;
        }

        return _runs.Finish(status, descriptor);
    }

    /// <inheritdoc cref="HeapDeletes{TFormat}.TryDelete"/>
    internal PileStatus TryDelete(ulong pointer, SeenEntry expected) => _deletes.TryDelete(pointer, expected);

    /// <summary>Stores an object. In the usual case it takes nothing but loads and stores: a thread outside every lease, a writer of its own, room and a slot in
    /// it. Of short bytes it calls nothing then, so that all it needs stays in registers, few of which have to be saved.</summary>
    /// <param name="code">Its lane.</param>
    /// <param name="payload">Its payload.</param>
    /// <exception cref="System.ArgumentOutOfRangeException">More than PayloadBytesMax.</exception>
    [SkipLocalsInit]
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PutResult Put<TPayload>(RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.CurrentAtOnce;
        if (payload.Bytes <= RawValue.CopyHereBytesMax && line.IsOutside(out long word))
        {
            line.EnterAs(word + _writeWord);
            if (WriterSet<TFormat>.LastOf(Volatile.Read(ref _openWriters), line) is { } writer && writer.IsOwnedBy(line)
                && writer.TryPlace(payload.Bytes, out long end) && writer.HasSlot)
            {
                ulong pointer = Publish(writer, end, code, payload);
                if (!writer.HasSlot)
                {
                    return EndWithSlot(writer, line, pointer);
                }

                line.LeaveWrite();
                return new PutResult(pointer);
            }

            return LeaveAndPut(code, payload, line);
        }

        return PutAnyhow(code, payload);
    }

    /// <summary>The end of a Put that the short way could not do. Apart for the same reason as <see cref="EndWithSlot"/>.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PutResult LeaveAndPut<TPayload>(RecordCode code, TPayload payload, EpochLine line)
        where TPayload : struct, IPayload, allows ref struct
    {
        line.LeaveWrite();
        return PutAnyhow(code, payload);
    }

    /// <summary>The end of a Put that has taken the last slot of a run. Apart, because nothing is needed behind it: so the short way saves no registers.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static PutResult EndWithSlot(SegmentWriter<TFormat> writer, EpochLine line, ulong pointer)
    {
        writer.PrepareSlot();
        line.LeaveWrite();
        return new PutResult(pointer);
    }

    /// <summary>Stores an object with whatever it takes.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PutResult PutAnyhow<TPayload>(RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        Check.PayloadBytes(payload.Bytes);
        RoomAttempt attempt = default;
        PileStatus status = payload.Bytes < _largePayloadBytesMin
            ? PutWithPools(code, payload, ref attempt, out ulong pointer)
            : PutLarge(code, payload, ref attempt, out pointer);
        return status == PileStatus.Ok ? new PutResult(pointer) : new PutResult(status);
    }

    /// <summary>Puts with whatever it takes: a lock, a segment, slots, cleaning.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PileStatus PutWithPools<TPayload>(RecordCode code, TPayload payload, ref RoomAttempt attempt, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(payload.Bytes);
        pointer = 0;
        while (true)
        {
            long held = line.Enter(_writeWord);
            SegmentWriter<TFormat>? writer = null;
            Room missing;
            try
            {
                writer = _writers.Hold(line);
                missing = _core.WriteRefusal != PileStatus.Ok ? Room.Closed
                    : !writer.EnsureSpace(recordBytes, attempt.OverRatio) ? Room.Segment
                    : !writer.EnsureSlot() ? Room.Slots
                    : Room.Found;
                if (missing == Room.Found)
                {
                    attempt.IsRunUsed = true;
                    _ = writer.TryPlace(payload.Bytes, out long end);
                    pointer = Publish(writer, end, code, payload);
                    writer.PrepareSlot();
                }
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
            }

            PileStatus status = missing switch
            {
                Room.Found => PileStatus.Ok,
                Room.Closed => _core.WriteRefusal,
                _ => _room.Make(missing, held, ref attempt, payload.Bytes),
            };
            if (missing == Room.Found || status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    /// <summary>Appends and publishes a new object; room and slot are at hand.</summary>
    /// <param name="writer">The writer, held.</param>
    /// <param name="end">Where the next record will stand, from <see cref="SegmentWriter{TFormat}.TryPlace"/>.</param>
    /// <param name="code">Its lane.</param>
    /// <param name="payload">Its payload.</param>
    /// <returns>The pointer to it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Publish<TPayload>(SegmentWriter<TFormat> writer, long end, RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        uint slot = TFormat.IsDurable || Fault.EntryBeforePayload ? writer.TakeSlot() : 0;
        if (Fault.EntryBeforePayload)
        {
            ref ulong entry = ref _entries.At(slot);
            _space.WriteWord(writer.Tail, RecordWord.Pack(slot, code, payload.Bytes));
            Volatile.Write(ref entry, EntryWord.Live(writer.Tail, EntryWord.NextGeneration(Volatile.Read(ref entry))));
            _ = Thread.Yield();
        }

        long location;
        ulong live;
        if (TFormat.IsDurable)
        {
            ref ulong entry = ref _entries.At(slot);
            ulong generation = ulong.Max(NextGeneration(Volatile.Read(ref entry)), _core.FirstGeneration);
            live = generation | EntryWord.LiveBit;
            location = writer.Append(slot, code, payload, new RecordStamp { Generation = EntryWord.Generation(generation), Version = 1 });
            Fault.Stop(StopPoint.HeaderWritten);
            if (EntryWord.Location(Volatile.Read(ref entry)) == 0)
            {
                // Nobody but the slot's holder stores into an entry that leads nowhere.
                Volatile.Write(ref entry, live | (ulong)location);
                Fault.Stop(StopPoint.EntryWritten);
            }
            else
            {
                // An exchange, because the cleaner may be moving the tombstone that stood there: the one that goes is the one counted.
                ulong before = Interlocked.Exchange(ref entry, live | (ulong)location);
                Fault.Stop(StopPoint.EntryWritten);
                _checked.CountDeadTombstone(writer, slot, before);
            }
        }
        else
        {
            // All but the slot of the record's word is made before the copy; slot, entry and, again, the place are looked up behind it, all of them this
            // writer's alone. So little is kept across the copy that no register has to be saved for it.
            ulong word = RecordWord.Pack(0, code, payload.Bytes);
            writer.WritePayload(writer.Tail, payload);
            slot = Fault.EntryBeforePayload ? slot : writer.TakeSlot();
            location = writer.Tail;
            PlacedHeader<TFormat>.Write(_space, word | slot, payloadSum: 0, new RecordStamp { Location = location });
            writer.EndRecord(end);
            Fault.Stop(StopPoint.HeaderWritten);
            ref ulong entry = ref _entries.At(slot);
            live = Fault.EntryBeforePayload ? NextGeneration(Volatile.Read(ref entry)) | EntryWord.LiveBit : EntryWord.NextLive(Volatile.Read(ref entry));

            // Release: who sees the entry sees the record. This store is what makes the object exist.
            Volatile.Write(ref entry, live | (ulong)location);
        }

        writer.CountObjects(1);
        NoteRun<TPayload>(location);
        return PointerWord.PackLive(slot, _turnedTag, live);
    }

    /// <summary>The generation of a slot's next object; with a planted fault the entry has it already.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong NextGeneration(ulong entry) => Fault.EntryBeforePayload ? EntryWord.Free(EntryWord.Generation(entry)) : EntryWord.NextGeneration(entry);

    private PileStatus TryUpdateRecord<TPayload>(ulong pointer, RecordCode code, TPayload payload, SeenEntry expected, ref RoomAttempt attempt)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(payload.Bytes);
        uint slot = PointerWord.Slot(pointer);
        if (TFormat.IsDurable)
        {
            // On its way while the stripe is taken, which nothing that is loaded behind it passes.
            _entries.Prefetch(slot);
        }

        while (true)
        {
            long held = _core.Stripes is { } stripes ? stripes.Enter(slot, line, _writeWord) : line.Enter(_writeWord);
            SegmentWriter<TFormat>? writer = null;
            PileStatus status;
            bool fits = true;
            try
            {
                status = _checked.Check(pointer, expected, out ulong entry);
                if (status == PileStatus.Ok)
                {
                    _space.Prefetch(EntryWord.Location(entry));
                    writer = _writers.Hold(line);
                    fits = writer.EnsureSpace(recordBytes, attempt.OverRatio);
                    if (fits)
                    {
                        attempt.IsRunUsed = true;
                        status = Replace(writer, pointer, code, payload, recordBytes, expected, entry);
                    }
                }
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
                _core.Stripes?.Exit(slot);
            }

            if (fits)
            {
                _room.ReclaimLarge(held);
                return status;
            }

            status = _room.Make(Room.Segment, held, ref attempt, payload.Bytes);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    private PileStatus Replace<TPayload>(
        SegmentWriter<TFormat> writer, ulong pointer, RecordCode code, TPayload payload, int recordBytes, SeenEntry expected, ulong entry)
        where TPayload : struct, IPayload, allows ref struct
    {
        if (TFormat.IsDurable && Volatile.Read(ref _entries.At(PointerWord.Slot(pointer))) != entry)
        {
            // A Clear may have come before the writer was held. Of a pointer that it made stale nothing may be appended: the log would have
            // the object again, which nobody deletes.
            PileStatus still = _checked.Check(pointer, expected, out entry);
            if (still != PileStatus.Ok)
            {
                return still;
            }
        }

        uint generation = PointerWord.Generation(pointer);
        ulong version = TFormat.IsDurable ? _checked.NextVersion(PointerWord.Slot(pointer), entry, code) : 0;
        if (version > DurableRecord.VersionMax)
        {
            return PileStatus.VersionsExhausted;
        }

        long location = writer.Append(PointerWord.Slot(pointer), code, payload, new RecordStamp { Generation = generation, Version = version });
        Fault.Stop(StopPoint.UpdateAppended);
        PileStatus status = _checked.SwingAway(pointer, expected, EntryWord.Live(location, generation), ref entry);
        if (status == PileStatus.Ok)
        {
            Fault.Stop(StopPoint.UpdateSwung);
            _checked.CountDead(writer, entry, PointerWord.Slot(pointer));
            NoteRun<TPayload>(location);
        }
        else
        {
            // The append went in vain: someone deleted, or changed what was expected.
            writer.CountDead(location, recordBytes);
        }

        return status;
    }

    /// <summary>Tells LargeRuns that an entry refers to a run now; nothing at all for other payloads.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void NoteRun<TPayload>(long location)
        where TPayload : struct, IPayload, allows ref struct
    {
        if (typeof(TPayload) == typeof(DescriptorPayload))
        {
            _core.Large.NotePublished(LargeDescriptor.Read(_space.Bytes(location, TFormat.HeaderBytes, LargeDescriptor.Bytes)).PayloadBytes);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PileStatus PutLarge<TPayload>(RecordCode code, TPayload payload, ref RoomAttempt attempt, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct
    {
        pointer = 0;
        PileStatus status = _runs.TryTake(code, payload, ref attempt, out DescriptorPayload descriptor);
        if (status != PileStatus.Ok)
        {
            return status;
        }

        try
        {
            status = PutWithPools(RecordCode.Large, descriptor, ref attempt, out pointer);
        }
        catch
        {
            _runs.Drop(attempt, descriptor);
            throw;
        }

        return _runs.Finish(status, descriptor);
    }
}
