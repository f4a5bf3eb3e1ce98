// What Clear does in files around what it does in memory (C4): keeps the schemas in a new segment, writes the floors of the
// generations, then lets meta say which segments count. That one write clears the pile; before it nothing is lost, after it
// nothing comes back.
using System;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Clear of a pile in files. All writers and the cleaner role are held.</summary>
internal sealed class DurableClear(HeapCore<DurableRecord> core, DurableHeap heap)
{
    private readonly FlatSpace _space = core.Directory.Space;
    private bool _isHalfDone;

    /// <summary>Makes the clearing durable; the table still has its entries.</summary>
    /// <exception cref="PileCorruptedException">The table is damaged: of the slots concerned nobody knows the generations that were issued.</exception>
    internal void Begin()
    {
        if (heap.Upkeep.Recounting.TableDamages > 0)
        {
            throw new PileCorruptedException(
                $"'{heap.Directory.FullPath}': {heap.Upkeep.Recounting.TableDamages:N0} entries of the table are damaged, and after a Clear pointers to their objects could lead to others. Nothing was cleared: close the pile and open it again, which builds the table anew, then clear it.",
                path: heap.Directory.FullPath);
        }

        long firstCounting = core.Pool.Sequences.Last + 1;
        KeepSchemas();
        heap.CallFiles(heap.SyncAll);
        uint number = uint.Max(1, heap.Directory.Meta.FloorsFile + 1);
        try
        {
            heap.Directory.Floors.Write(new GenerationFloors(core.Log.Identity, number, core.Slots.HighWater, Floors()));
        }
        catch (FileCallException failure)
        {
            // Nothing else depends on that file: the pile is as it was, and goes on.
            throw DirectoryErrors.For(failure, isOfPile: true);
        }

        // When this fails the next open may find the pile cleared or not: nothing may be written until then.
        heap.CallFiles(() => heap.Directory.WriteMeta(meta => meta with { FirstCountingSequence = firstCounting, FloorsFile = number, CheckpointFile = 0, TableTrusted = false }));
        _isHalfDone = true;
        FreeRoots();
        heap.Batches.NoteClear();
    }

    /// <summary>After an exception: where meta says already that the segments of now do not count, nothing may be written to them any more, and the pile ends as one whose
    /// files failed.</summary>
    internal void Fail(Exception failure)
    {
        if (_isHalfDone)
        {
            heap.Flusher.Fail(failure);
        }
    }

    /// <summary>Lets the table be believed again; its entries are gone.</summary>
    internal void End()
    {
        _isHalfDone = false;
        heap.CallFiles(() => heap.Directory.WriteMeta(static meta => meta with { TableTrusted = true }));
        heap.Directory.Floors.DeleteOthers();
        _ = heap.Directory.Checkpoints.TryDeleteOthers();
    }

    /// <summary>The greatest generation of each page of the table.</summary>
    private uint[] Floors()
    {
        uint slots = core.Slots.HighWater;
        uint[] floors = new uint[(slots + (Limits.TablePageSlots - 1L)) / Limits.TablePageSlots];
        for (uint slot = Limits.FirstSlot; slot < slots; slot++)
        {
            ref uint floor = ref floors[slot / Limits.TablePageSlots];
            ulong entry = core.Table.Read(slot);
            uint generation = EntryWord.IsInternal(entry)
                ? DurableRecord.Generation(_space.ReadWord(EntryWord.Location(entry) + 1))
                : EntryWord.Generation(entry);
            floor = uint.Max(floor, generation);
        }

        return floors;
    }

    /// <summary>Frees the entries of the roots, which went with the objects.</summary>
    private void FreeRoots()
    {
        foreach (uint slot in Internals(RecordCode.Root))
        {
            long location = EntryWord.Location(core.Table.Read(slot));
            core.CountSchemas(-1, -SegmentWriter<DurableRecord>.RecordBytes(RecordWord.PayloadBytes(_space.ReadWord(location))));
            core.Table.Publish(slot, EntryWord.Free(DurableRecord.Generation(_space.ReadWord(location + 1))));
        }

        heap.Roots.Clear();
    }

    private void KeepSchemas()
    {
        SegmentWriter<DurableRecord> survivors = core.Writers.Survivors;
        survivors.Seal();
        foreach (uint slot in Internals(RecordCode.Schema))
        {
            ulong entry = core.Table.Read(slot);
            long source = EntryWord.Location(entry);
            ulong word = _space.ReadWord(source);
            int recordBytes = SegmentWriter<DurableRecord>.RecordBytes(RecordWord.PayloadBytes(word));
            if (survivors.FreeBytes < recordBytes)
            {
                if (core.Pool.TryTakeForCleaner(mayPass: true) is not { } segment)
                {
                    throw new PileFullException("Clear needs a segment to keep the schemas in, and DiskLimitBytes leaves none. Raise it, or delete objects. Nothing was cleared.");
                }

                survivors.OpenSegment(segment, neededBytes: 0);
            }

            core.Table.Publish(slot, EntryWord.Moved(entry, survivors.AppendCopy(source, word, default)));
            survivors.CountDead(source, recordBytes);
        }
    }

    private List<uint> Internals(RecordCode code)
    {
        List<uint> slots = [];
        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            if (EntryWord.IsInternal(entry) && RecordWord.Code(_space.ReadWord(EntryWord.Location(entry))) == code)
            {
                slots.Add(slot);
            }
        }

        return slots;
    }
}
