// Removals from a durable table in files: the cell is emptied and the entry's object deleted, with what it owns, under the lock of the chain.
// Locks are taken as in SlotWrites.
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Removals from one durable table in files. Thread-safe.</summary>
internal sealed class SlotRemovals(TableCore<DurableRecord> table, SlotLooks looks)
{
    private static readonly int _tombstoneBytes = SegmentWriter<DurableRecord>.RecordBytes(0);

    private readonly HeapCore<DurableRecord> _core = table.Cache.Core;
    private readonly TableIndex _index = table.Index;
    private readonly TableLookup<DurableRecord> _lookup = table.Lookup;
    private readonly SlotBatch _batch = new(table.Cache.Pile.Durable!.Batches);
    private readonly long _writeWord = table.Cache.Core.Epochs.WriteWord;

    /// <summary>Removes an entry, or only one of a version.</summary>
    /// <returns>True when there was one that had not ended.</returns>
    /// <exception cref="PileFullException">There is no room for the note that it was removed, which a removal leaves in the log.</exception>
    internal bool Remove(scoped EntryKey key, RemovalReason why, PileEntryVersion expected)
    {
        var attempt = new RoomAttempt { IsToDelete = true };
        while (true)
        {
            SlotSeen seen = looks.Look(key);
            if (seen.Pointer == 0)
            {
                return false;
            }

            PileStatus status = TryTakeOut(key.Low, seen, why, expected, ref attempt, out bool wasGood);
            if (status == PileStatus.Ok)
            {
                return wasGood;
            }

            if (status != PileStatus.Conflict)
            {
                table.ThrowRefused(status);
            }
        }
    }

    /// <summary>Removes the entry of a key if it has ended; where there is no room for that, it stays for the background.</summary>
    internal void RemoveEnded(scoped EntryKey key)
    {
        if (looks.Look(key) is { Pointer: not 0 } seen)
        {
            _ = RemoveAt(key.Low, seen, RemovalReason.Ended);
        }
    }

    /// <summary>Removes the entry in a slot, if it is there and the reason holds.</summary>
    /// <param name="low">The low half of its key's hash.</param>
    /// <param name="seen">It.</param>
    /// <param name="why">The reason.</param>
    /// <returns>Ok, whether or not it was removed; or what kept it from being.</returns>
    internal PileStatus RemoveAt(uint low, SlotSeen seen, RemovalReason why)
    {
        var attempt = new RoomAttempt { IsToDelete = true };
        PileStatus status = TryTakeOut(low, seen, why, default, ref attempt, out _);

        // Changed or gone meanwhile: it is somebody else's by now.
        return status == PileStatus.Conflict ? PileStatus.Ok : status;
    }

    /// <summary>One attempt to remove the entry in a slot.</summary>
    /// <returns>Ok, whether or not it was removed; Conflict when it is not there as seen; or what keeps it from being removed.</returns>
    private PileStatus TryTakeOut(uint low, in SlotSeen seen, RemovalReason why, PileEntryVersion expected, ref RoomAttempt attempt, out bool wasGood)
    {
        EpochLine line = EpochLine.Current;
        int needBytes = seen.Linked == 0 ? _tombstoneBytes : SlotBatch.FrameBytes(entryBytes: -1, default, seen);
        wasGood = false;
        while (true)
        {
            seen.Enter(_core.Stripes!);
            long held = line.Enter(_writeWord);
            SegmentWriter<DurableRecord>? writer = null;
            PileStatus status;
            bool fits;
            ulong orphan = 0;
            try
            {
                writer = _core.Writers.Hold(line);
                fits = _core.WriteRefusal == PileStatus.Ok && _core.Writers.EnsureSpaceToDelete(ref writer, line, needBytes);
                status = MayTakeOut(why) ? _core.WriteRefusal : PileStatus.Disposed;
                fits &= status == PileStatus.Ok;
                if (fits)
                {
                    status = TakeOut(line, writer!, low, seen, why, expected, out wasGood, out orphan);
                }
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
                seen.Exit(_core.Stripes!);
            }

            if (fits)
            {
                table.Cache.DeleteOrphan(orphan, _core.Log.Flushes.Next);
                _core.RoomForWrites.ReclaimLarge(held);
            }

            if (fits || status != PileStatus.Ok)
            {
                return status;
            }

            status = _core.RoomForWrites.Make(Room.Segment, held, ref attempt, requestBytes: 0);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }
    }

    // What has ended goes as long as the table is among the cache's, also when that was disposed before its pile: then the entries are the pile's to keep, and it may live
    // for long. The index of a table that is not is freed once nobody is inside who has seen it there.
    private bool MayTakeOut(RemovalReason why) => why switch
    {
        RemovalReason.Dropped => true,
        RemovalReason.Ended => table.Cache.Has(table),
        RemovalReason.Cleared => !table.IsDropped && table.Cache.Has(table),
        _ => !table.IsDropped,
    };

    private PileStatus TakeOut(EpochLine line, SegmentWriter<DurableRecord> writer, uint low, in SlotSeen seen, RemovalReason why, PileEntryVersion expected, out bool wasGood, out ulong orphan)
    {
        wasGood = false;
        orphan = 0;
        uint slot = PointerWord.Slot(seen.Pointer);
        uint home = _index.Lock(low);
        bool hasMoved = false;
        try
        {
            if (!_lookup.TryFindLocation(home, slot, out uint word, out ulong cell)
                || _core.CheckedEntries.Check(seen.Pointer, default, out ulong entry) != PileStatus.Ok || looks.SeenAt(EntryWord.Location(entry)) != seen)
            {
                return PileStatus.Conflict;
            }

            long location = EntryWord.Location(entry);
            ulong a = _lookup.HeadA(location);
            wasGood = !table.Reads.HasEnded(location, a, KeyedHead.IsTimed(a) ? table.Clock.Now : 0);
            bool goes = why switch
            {
                RemovalReason.OfVersion or RemovalReason.Expired => table.Reads.VersionOf(location, a) == expected,
                RemovalReason.Ended => EndedEntries.IsEndedLocked(table, word, cell, location, a, table.Clock.Now, ref hasMoved),
                RemovalReason.Cleared => !_lookup.IsOfEra(location),
                _ => true,
            };
            if (!goes)
            {
                wasGood = false;
                return PileStatus.Ok;
            }

            hasMoved |= _index.RemoveLocked(home, word);
            Fault.Stop(StopPoint.CacheCellEmptied);
            LinkedValue linked = table.Reads.LinkAt(location, a);
            orphan = linked.IsShared ? linked.Pointer : 0;
            table.Cache.NoteLoose(orphan);
            long bytes = table.Reads.RecordBytesAt(location) + (long)linked.Bytes;
            Free(writer, seen, entry);
            Fault.Stop(StopPoint.CacheSlotSwung);
            _ = table.Counts.Add(line, CellWord.Priority(cell), -1, -bytes);
            table.Teller.TellGone(wasGood && why != RemovalReason.Expired ? PileEventKinds.Removed : PileEventKinds.Expired, location);
        }
        finally
        {
            _index.Unlock(home, hasMoved);
        }

        if (why is RemovalReason.Ended or RemovalReason.Expired)
        {
            table.Counts.AddExpiration();
        }

        return PileStatus.Ok;
    }

    /// <summary>Deletes the entry's object, and the one it owns with it.</summary>
    private void Free(SegmentWriter<DurableRecord> writer, in SlotSeen seen, ulong entry)
    {
        if (Fault.CacheRemovalForgotten || (seen.Linked != 0 && _batch.Delete(writer, seen) == PileStatus.Ok))
        {
            return;
        }

        // Alone where the two can't go together, which only damage brings about: the next open looks for what the entry owned.
        table.Cache.NoteLoose(seen.Linked);
        uint slot = PointerWord.Slot(seen.Pointer);
        uint generation = PointerWord.Generation(seen.Pointer);
        var stamp = new RecordStamp { Generation = generation, Version = _core.CheckedEntries.StoredVersion(slot, entry, RecordCode.Tombstone) };
        long tombstone = writer.Append(slot, RecordCode.Tombstone, default(EmptyPayload), stamp);
        _ = _core.CheckedEntries.SwingAway(seen.Pointer, default, EntryWord.Free(generation, tombstone), ref entry);
        _core.CheckedEntries.CountDead(writer, entry, slot);
        if (_core.IsSlotCounted(slot))
        {
            writer.CountObjects(-1);
            writer.FreeSlot(slot, generation);
        }
    }
}
