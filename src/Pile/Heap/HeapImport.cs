// Places an export in a heap that was made for it and that nobody else knows: each record under its own slot and generation, so that
// every pointer means what it meant. A slot whose object was deleted gets its generation back, in files by a tombstone, so that the
// pointers of then stay stale. Nothing may be written before it has ended, nothing is taken back when it fails: the heap is dropped.
using System;
using System.Collections.Generic;
using Pile.Cleaning;
using Pile.Codecs;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Heap;

/// <summary>One import.</summary>
/// <param name="core">The heap, empty.</param>
/// <param name="source">The export, its header read.</param>
/// <param name="header">That header.</param>
/// <param name="types">Takes the schemas.</param>
/// <param name="roots">Takes the roots.</param>
/// <param name="fail">Throws for a status that is not Ok, of a payload of so many bytes.</param>
internal sealed class HeapImport<TFormat>(
    HeapCore<TFormat> core, ExportReader source, ExportHeader header, TypeTable types, PileRoots roots, Action<PileStatus, int> fail)
    where TFormat : struct, IRecordFormat
{
    private readonly long _writeWord = core.Epochs.WriteWord;
    private readonly HeapRuns<TFormat> _runs = new(core);
    private readonly ImportParser _parser = new(source, core.Table.SlotsMax);

    /// <summary>Reads the export to its end and places everything.</summary>
    /// <param name="progress">Gets the progress, or null.</param>
    /// <exception cref="PileCorruptedException">The export is damaged or cut off.</exception>
    internal void Run(IProgress<PileTransferProgress>? progress)
    {
        ExportBlock block;
        while ((block = source.Read()).Kind != ExportBlockKind.End)
        {
            switch (block.Kind)
            {
                case ExportBlockKind.Types:
                    _parser.ReadTypes(block);
                    break;
                case ExportBlockKind.Roots:
                    _parser.ReadRoots(block);
                    break;
                case ExportBlockKind.Objects:
                    PlaceSlots(_parser.ReadSlots(block));
                    break;
                default:
                    throw source.Damaged(0, $"a block of kind {(int)block.Kind}");
            }

            progress?.Report(new PileTransferProgress(_parser.Objects, header.Objects, source.Bytes));
        }

        _parser.ReadEnd(block);
        PlaceTypes();
        PlaceRoots();
        PoolFreeSlots();
        SetRootsWithoutSlot();
    }

    private void PlaceSlots(List<ImportItem> items)
    {
        foreach (ImportItem item in items)
        {
            ReadOnlySpan<byte> payload = source.Body.Slice(item.Offset, item.Bytes);
            PileStatus status = item.Code == RecordCode.Tombstone ? PlaceFree(item.Slot, item.Generation)
                : payload.Length >= core.LargePayloadBytesMin ? PlaceLarge(item, payload)
                : Place(item.Slot, item.Generation, item.Code, new BytesPayload(payload));
            if (status != PileStatus.Ok)
            {
                fail(status, item.Bytes);
            }
        }
    }

    private PileStatus PlaceFree(uint slot, uint generation)
    {
        if (TFormat.IsDurable)
        {
            return Place(slot, generation, RecordCode.Tombstone, default(EmptyPayload));
        }

        RoomAttempt attempt = default;
        PileStatus status = PileStatus.Ok;
        while (status == PileStatus.Ok && !TryReach(slot))
        {
            status = core.RoomForWrites.Make(Room.Slots, held: 1, ref attempt, requestBytes: 0);
        }

        if (status == PileStatus.Ok)
        {
            core.Table.Publish(slot, EntryWord.Free(generation));
        }

        return status;
    }

    private PileStatus PlaceLarge(in ImportItem item, ReadOnlySpan<byte> payload)
    {
        RoomAttempt attempt = default;
        PileStatus status = _runs.TryTake(item.Code, new BytesPayload(payload), ref attempt, out DescriptorPayload descriptor);
        return status == PileStatus.Ok
            ? _runs.Finish(Place(item.Slot, item.Generation, RecordCode.Large, descriptor), descriptor)
            : status;
    }

    /// <summary>Appends a record and publishes it under its slot.</summary>
    private PileStatus Place<TPayload>(uint slot, uint generation, RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        EpochLine line = EpochLine.Current;
        RoomAttempt attempt = default;
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(payload.Bytes);
        while (true)
        {
            long held = line.Enter(_writeWord);
            SegmentWriter<TFormat>? writer = null;
            Room missing;
            try
            {
                writer = core.Writers.Hold(line);
                missing = core.WriteRefusal != PileStatus.Ok ? Room.Closed
                    : !writer.EnsureSpace(recordBytes, attempt.OverRatio) ? Room.Segment
                    : !TryReach(slot) ? Room.Slots
                    : Room.Found;
                if (missing == Room.Found)
                {
                    Publish(writer, slot, generation, code, payload);
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
                Room.Closed => core.WriteRefusal,
                _ => core.RoomForWrites.Make(missing, held, ref attempt, payload.Bytes),
            };
            if (missing == Room.Found || status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    private void Publish<TPayload>(SegmentWriter<TFormat> writer, uint slot, uint generation, RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        int payloadBytes = payload.Bytes;
        long location = writer.Append(slot, code, payload, new RecordStamp { Generation = generation, Version = 1 });
        switch (code)
        {
            case RecordCode.Tombstone:
                core.Table.Publish(slot, EntryWord.Free(generation, location));
                break;
            case RecordCode.Schema or RecordCode.Root:
                core.Table.Publish(slot, EntryWord.Internal(location));
                core.CountSchema(SegmentWriter<TFormat>.RecordBytes(payloadBytes));
                core.NoteInternal(slot);
                break;
            default:
                core.Table.Publish(slot, EntryWord.Live(location, generation));
                writer.CountObjects(1);
                if (code == RecordCode.Large)
                {
                    core.Large.NotePublished(LargeDescriptor.Read(core.Directory.Space.Bytes(location, TFormat.HeaderBytes, LargeDescriptor.Bytes)).PayloadBytes);
                }

                break;
        }
    }

    /// <summary>Makes sure that the table has a slot, and those before it.</summary>
    private bool TryReach(uint slot) =>
        slot < core.Slots.HighWater
        || core.Slots.TryRestore((uint)long.Min(Align.Up(slot + 1L, SlotStock.RunSlots), core.Table.SlotsMax + 1L), besideReserve: true);

    private void PlaceTypes()
    {
        foreach ((uint slot, uint generation, byte[] record) in _parser.Types)
        {
            try
            {
                types.Load(record);
            }
            catch (PileCorruptedException damage)
            {
                throw source.Damaged(0, $"the schema of slot {slot} can't be read: {damage.Message}");
            }

            PlaceInternal(slot, generation, RecordCode.Schema, record);
        }

        types.GoOnBehind(header.TypeNumberBound);
        Require(types.NoteNumbers(), 0);
    }

    private void PlaceRoots()
    {
        foreach ((uint slot, uint generation, string name, ulong pointer) in _parser.Roots)
        {
            if (roots.TryGet(name, out _))
            {
                throw source.Damaged(0, $"two roots of the name '{name}'");
            }

            roots.Restore(slot, name, new PilePointer(pointer).Word);
            if (slot != 0 && TFormat.IsDurable)
            {
                PlaceInternal(slot, generation, RecordCode.Root, HeapRoots.PayloadOf(name, pointer));
            }
            else if (slot != 0)
            {
                RequireUnused(slot);
                Require(PlaceFree(slot, generation), 0);
            }
        }
    }

    private void PlaceInternal(uint slot, uint generation, RecordCode code, byte[] record)
    {
        RequireUnused(slot);
        Require(Place(slot, generation, code, new BytesPayload(record)), record.Length);
    }

    private void RequireUnused(uint slot)
    {
        if (slot < core.Slots.HighWater && core.Table.Read(slot) != core.Table.Unissued)
        {
            throw source.Damaged(0, $"slot {slot} is there twice");
        }
    }

    /// <summary>Lets the slots without record be issued.</summary>
    private void PoolFreeSlots()
    {
        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            if (!EntryWord.IsLive(entry) && !EntryWord.IsInternal(entry))
            {
                core.Slots.RestoreFree(slot, EntryWord.Generation(entry), isWaiting: false);
            }
        }
    }

    /// <summary>In files a root has a slot; those of a pile in memory get one now.</summary>
    private void SetRootsWithoutSlot()
    {
        foreach ((uint slot, _, string name, ulong pointer) in _parser.Roots)
        {
            if (TFormat.IsDurable && slot == 0)
            {
                roots.Set(name, new PilePointer(pointer));
            }
        }
    }

    private void Require(PileStatus status, int bytes)
    {
        if (status != PileStatus.Ok)
        {
            fail(status, bytes);
        }
    }
}
