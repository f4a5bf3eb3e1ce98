// Delete. In memory it frees the entry and is done; in files it appends a tombstone first, which stays the slot's current
// record until the slot's next object replaces it (W4), so that no crash can bring the deleted object back.
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Deletes. Thread-safe.</summary>
internal sealed class HeapDeletes<TFormat>(HeapCore<TFormat> core)
    where TFormat : struct, IRecordFormat
{
    private static readonly int _tombstoneBytes = TFormat.IsDurable ? SegmentWriter<TFormat>.RecordBytes(0) : 0;

    private readonly HeapCore<TFormat> _core = core;
    private readonly long _writeWord = core.Epochs.WriteWord;
    private readonly WriterSet<TFormat> _writers = core.Writers;
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly HeapEntries<TFormat> _entries = core.CheckedEntries;
    private readonly HeapRoom<TFormat> _room = core.RoomForWrites;

    /// <summary>Deletes an object.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="expected">What must still stand, or default for any entry of the pointer's generation.</param>
    /// <returns>Ok, Stale, WrongPile, Conflict or what the heap answers every write; Full only where a tombstone finds no room.</returns>
    internal PileStatus TryDelete(ulong pointer, SeenEntry expected)
    {
        EpochLine line = EpochLine.Current;
        uint slot = PointerWord.Slot(pointer);
        var attempt = new RoomAttempt { IsToDelete = true };
        while (true)
        {
            long held = _core.Stripes is { } stripes ? stripes.Enter(slot, line, _writeWord) : line.Enter(_writeWord);
            SegmentWriter<TFormat>? writer = null;
            PileStatus status;
            bool fits = true;
            try
            {
                status = _entries.Check(pointer, expected, out ulong entry);
                if (status == PileStatus.Ok)
                {
                    _space.Prefetch(EntryWord.Location(entry));
                    writer = _writers.Hold(line);
                    fits = !TFormat.IsDurable || _writers.EnsureSpaceToDelete(ref writer, line, _tombstoneBytes);
                    status = fits ? Free(writer!, pointer, expected, entry) : PileStatus.Full;
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

            status = _room.Make(Room.Segment, held, ref attempt, requestBytes: 0);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    private PileStatus Free(SegmentWriter<TFormat> writer, ulong pointer, SeenEntry expected, ulong entry)
    {
        uint slot = PointerWord.Slot(pointer);
        if (TFormat.IsDurable && _core.Table.Read(slot) != entry)
        {
            // A Clear may have come before the writer was held. Of a pointer that it made stale nothing may be appended: for a roll-forward it would be the slot's newest record.
            PileStatus still = _entries.Check(pointer, expected, out entry);
            if (still != PileStatus.Ok)
            {
                return still;
            }
        }

        uint generation = PointerWord.Generation(pointer);
        long tombstone = TFormat.IsDurable
            ? writer.Append(slot, RecordCode.Tombstone, default(EmptyPayload), new RecordStamp { Generation = generation, Version = _entries.StoredVersion(slot, entry, RecordCode.Tombstone) })
            : 0;
        Fault.Stop(StopPoint.TombstoneAppended);
        PileStatus status = _entries.SwingAway(pointer, expected, EntryWord.Free(generation, Fault.TombstoneDropped ? 0 : tombstone), ref entry);
        if (status == PileStatus.Ok)
        {
            Fault.Stop(StopPoint.TombstoneSwung);
            if (Fault.TombstoneDropped)
            {
                writer.CountDead(tombstone, _tombstoneBytes);
            }

            _entries.CountDead(writer, entry, slot);
            if (!TFormat.IsDurable || _core.IsSlotCounted(slot))
            {
                writer.CountObjects(-1);
                writer.FreeSlot(slot, generation);
            }
        }
        else if (TFormat.IsDurable)
        {
            writer.CountDead(tombstone, _tombstoneBytes);
        }

        return status;
    }
}
