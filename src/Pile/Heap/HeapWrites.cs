// Put, Update and Delete. Each holds an epoch pin and a writer from the first look at the entry until the counts are made
// (W3), so that the cleaner's sums are final once the epoch has passed and Clear can exclude everyone by holding all writers.
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Heap;

/// <summary>The write side of a heap. Thread-safe.</summary>
internal sealed class HeapWrites<TFormat>(HeapCore<TFormat> core)
    where TFormat : struct, IRecordFormat
{
    private readonly HeapCore<TFormat> _core = core;
    private readonly long _writeWord = core.Epochs.WriteWord;
    private readonly ObjectTable _table = core.Table;
    private readonly WordArray _entries = core.Table.Entries;
    private readonly WriterSet<TFormat> _writers = core.Writers;
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly int _largePayloadBytesMin = core.LargePayloadBytesMin;
    private readonly HeapRoom<TFormat> _room = new(core);
    private readonly byte _tag = core.Tag;
    private readonly ulong _tagWord = (ulong)core.Tag << PointerWord.TagShift;
    private bool _closed;

    /// <summary>Closes the write side: every later call says Disposed.</summary>
    internal void Close() => Volatile.Write(ref _closed, true);

    /// <summary>Stores an object.</summary>
    /// <param name="code">Its lane.</param>
    /// <param name="payload">Its payload, at most PayloadBytesMax.</param>
    /// <param name="pointer">The pointer to it, when Ok.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus TryPut<TPayload>(RecordCode code, TPayload payload, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct =>
        payload.Bytes < _largePayloadBytesMin
            ? TryPutRecord(code, payload, out pointer)
            : PutLarge(code, payload, out pointer);

    /// <summary>Replaces an object.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="code">The lane of the new payload.</param>
    /// <param name="payload">The new payload.</param>
    /// <returns>Ok, Stale, WrongPile, Disposed or Full.</returns>
    internal PileStatus TryUpdate<TPayload>(ulong pointer, RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        RoomAttempt attempt = default;
        return TryUpdate(pointer, code, payload, default, ref attempt);
    }

    /// <summary>Replaces an object while what the caller has seen still stands.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="code">The lane of the new payload.</param>
    /// <param name="payload">The new payload.</param>
    /// <param name="expected">What must still stand, or default for any entry of the pointer's generation.</param>
    /// <param name="attempt">The caller's memory of its attempts to find room. It outlives a Conflict: the cleaning that one
    /// attempt asks for may itself move the object, and a caller that forgot would ask again for ever.</param>
    /// <returns>Ok, Stale, WrongPile, Disposed, Full, or Conflict when another entry stands.</returns>
    internal PileStatus TryUpdate<TPayload>(ulong pointer, RecordCode code, TPayload payload, SeenEntry expected, ref RoomAttempt attempt)
        where TPayload : struct, IPayload, allows ref struct
    {
        if (payload.Bytes < _largePayloadBytesMin)
        {
            return TryUpdateRecord(pointer, code, payload, expected, ref attempt);
        }

        // Asked first, so that a stale pointer takes no pages and is not answered Full.
        PileStatus status = Ask(pointer, expected);
        long run = 0;
        status = status == PileStatus.Ok ? TryTakeRun(payload, ref attempt, out run) : status;
        if (status != PileStatus.Ok)
        {
            return status;
        }

        status = TryUpdateRecord(pointer, RecordCode.Large, new DescriptorPayload(run, payload.Bytes, code), expected, ref attempt);
        return FinishRun(status, run, payload.Bytes);
    }

    /// <summary>Deletes an object.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="expected">What must still stand, or default for any entry of the pointer's generation.</param>
    internal PileStatus TryDelete(ulong pointer, SeenEntry expected = default)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_writeWord);
        PileStatus status = Check(pointer, expected, out ulong entry);
        if (status == PileStatus.Ok)
        {
            _space.Prefetch(EntryWord.Location(entry));
            SegmentWriter<TFormat> writer = _writers.Hold(line);
            status = SwingAway(pointer, expected, EntryWord.Free(PointerWord.Generation(pointer)), ref entry);
            if (status == PileStatus.Ok)
            {
                writer.CountObjects(-1);
                CountDead(writer, entry);
                writer.FreeSlot(PointerWord.Slot(pointer), PointerWord.Generation(pointer));
            }

            writer.Release();
        }

        line.Leave(held);
        _room.ReclaimLarge(held);
        return status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PileStatus TryPutRecord<TPayload>(RecordCode code, TPayload payload, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct
    {
        // The usual case first, with nothing but loads and stores: a thread outside every lease, a writer of its own, room in it.
        EpochLine line = EpochLine.Current;
        if (line.TryEnter(_writeWord, out long held))
        {
            if (_writers.LastOf(line) is { } writer && writer.IsOwnedBy(line)
                && writer.HasRoom(SegmentWriter<TFormat>.RecordBytes(payload.Bytes)) && !Volatile.Read(ref _closed))
            {
                pointer = Publish(writer, code, payload);
                line.LeaveOutermost(held);
                return PileStatus.Ok;
            }

            line.LeaveOutermost(held);
        }

        return PutWithPools(code, payload, out pointer);
    }

    /// <summary>Puts with whatever it takes: a lock, a segment, slots, cleaning.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private PileStatus PutWithPools<TPayload>(RecordCode code, TPayload payload, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(payload.Bytes);
        RoomAttempt attempt = default;
        pointer = 0;
        while (true)
        {
            long held = line.Enter(_writeWord);
            SegmentWriter<TFormat> writer = _writers.Hold(line);
            Room missing = _core.IsDisposed ? Room.Closed
                : !writer.EnsureSpace(recordBytes, attempt.OverRatio) ? Room.Segment
                : !writer.EnsureSlot() ? Room.Slots
                : Room.Found;
            if (missing == Room.Found)
            {
                pointer = Publish(writer, code, payload);
            }

            writer.Release();
            line.Leave(held);
            PileStatus status = missing switch
            {
                Room.Found => PileStatus.Ok,
                Room.Closed => PileStatus.Disposed,
                _ => _room.Make(missing, held, ref attempt, payload.Bytes),
            };
            if (missing == Room.Found || status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    /// <summary>Appends and publishes a new object; room and slot are at hand.</summary>
    /// <returns>The pointer to it.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong Publish<TPayload>(SegmentWriter<TFormat> writer, RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        uint slot = writer.TakeSlot();
        ref ulong entry = ref _entries.At(slot);
        ulong generation = EntryWord.NextGeneration(Volatile.Read(ref entry));
        if (Fault.EntryBeforePayload)
        {
            _space.WriteWord(writer.Tail, RecordWord.Pack(slot, code, payload.Bytes));
            Volatile.Write(ref entry, EntryWord.Live(writer.Tail, generation));
            _ = Thread.Yield();
        }

        long location = writer.Append(slot, code, payload, new RecordStamp { Generation = EntryWord.Generation(generation) });

        // Release: who sees the entry sees the record. This store is what makes the object exist.
        Volatile.Write(ref entry, EntryWord.Live(location, generation));
        writer.CountObjects(1);
        NoteRun<TPayload>(location);
        return PointerWord.Pack(slot, _tagWord, generation);
    }

    private PileStatus TryUpdateRecord<TPayload>(ulong pointer, RecordCode code, TPayload payload, SeenEntry expected, ref RoomAttempt attempt)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(payload.Bytes);
        while (true)
        {
            long held = line.Enter(_writeWord);
            PileStatus status = Check(pointer, expected, out ulong entry);
            if (status != PileStatus.Ok)
            {
                line.Leave(held);
                return status;
            }

            _space.Prefetch(EntryWord.Location(entry));
            SegmentWriter<TFormat> writer = _writers.Hold(line);
            bool fits = writer.EnsureSpace(recordBytes, attempt.OverRatio);
            if (fits)
            {
                status = Replace(writer, pointer, code, payload, recordBytes, expected, entry);
            }

            writer.Release();
            line.Leave(held);
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
        uint generation = PointerWord.Generation(pointer);
        long location = writer.Append(PointerWord.Slot(pointer), code, payload, new RecordStamp { Generation = generation });
        PileStatus status = SwingAway(pointer, expected, EntryWord.Live(location, generation), ref entry);
        if (status == PileStatus.Ok)
        {
            CountDead(writer, entry);
            NoteRun<TPayload>(location);
        }
        else
        {
            // The append went in vain: someone deleted, or changed what was expected.
            writer.CountDead(location, recordBytes);
        }

        return status;
    }

    /// <summary>Swings the pointer's entry to another word; the cleaner's moves in between are followed. <c>entry</c> is the one
    /// seen, and on Ok the one that was replaced.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private PileStatus SwingAway(ulong pointer, SeenEntry expected, ulong target, ref ulong entry)
    {
        while (true)
        {
            ulong seen = _table.Swing(PointerWord.Slot(pointer), entry, target);
            if (seen == entry)
            {
                return PileStatus.Ok;
            }

            if (!EntryWord.Matches(seen, pointer))
            {
                return PileStatus.Stale;
            }

            if (expected.Entry != 0)
            {
                return PileStatus.Conflict;
            }

            entry = seen;
        }
    }

    /// <summary>Counts the record of an entry that was swung away, and retires its run if it was a descriptor.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CountDead(SegmentWriter<TFormat> writer, ulong entry)
    {
        long location = EntryWord.Location(entry);
        ulong word = _space.ReadWord(location);
        writer.CountDead(location, SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(word)));
        if (RecordWord.Code(word) == RecordCode.Large)
        {
            _core.Large.Retire(LargeDescriptor.Read(_space.Bytes(location, TFormat.HeaderBytes, LargeDescriptor.Bytes)));
        }
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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private PileStatus Check(ulong pointer, SeenEntry expected, out ulong entry)
    {
        if (_core.IsDisposed)
        {
            entry = 0;
            return PileStatus.Disposed;
        }

        entry = _table.ReadAny(PointerWord.Slot(pointer));
        if (PointerWord.Tag(pointer) != _tag)
        {
            return PileStatus.WrongPile;
        }

        if (!EntryWord.Matches(entry, pointer))
        {
            return PileStatus.Stale;
        }

        return expected.Entry != 0 && expected != SeenEntry.Of(_core.Directory, entry) ? PileStatus.Conflict : PileStatus.Ok;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PileStatus Ask(ulong pointer, SeenEntry expected)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_core.Epochs.IdWord);
        PileStatus status = Check(pointer, expected, out _);
        line.Leave(held);
        return status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PileStatus PutLarge<TPayload>(RecordCode code, TPayload payload, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct
    {
        pointer = 0;
        RoomAttempt attempt = default;
        PileStatus status = TryTakeRun(payload, ref attempt, out long run);
        if (status != PileStatus.Ok)
        {
            return status;
        }

        status = TryPutRecord(RecordCode.Large, new DescriptorPayload(run, payload.Bytes, code), out pointer);
        return FinishRun(status, run, payload.Bytes);
    }

    /// <summary>Takes a run of pages and writes the payload to it; nothing refers to it yet.</summary>
    private PileStatus TryTakeRun<TPayload>(TPayload payload, ref RoomAttempt attempt, out long run)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        while (true)
        {
            // The pin keeps the pile mapped while the payload is copied; the run itself is ours alone.
            long held = line.Enter(_core.Epochs.IdWord);
            bool disposed = _core.IsDisposed;
            run = 0;
            bool taken = !disposed && _core.Large.TryTake(payload.Bytes, _core.Pool.KeepBytes, out run);
            if (taken)
            {
                payload.WriteTo(_space.Bytes(run, 0, payload.Bytes));
            }

            line.Leave(held);
            if (disposed || taken)
            {
                return disposed ? PileStatus.Disposed : PileStatus.Ok;
            }

            PileStatus status = _room.Make(Room.Large, held, ref attempt, payload.Bytes);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    private PileStatus FinishRun(PileStatus status, long run, int payloadBytes)
    {
        // Guarded against Dispose: giving pages back must not meet address space that is somebody else's by then.
        if (status is not (PileStatus.Ok or PileStatus.Disposed) && _core.TryEnterCare())
        {
            _core.Large.Free(run, payloadBytes);
            _core.ExitCare();
        }

        return status;
    }
}
